/** Tests src/record: what was in force, and src/io/api/past/in-force.ts. */
import { describe, expect, it } from "vitest";
import type { Event, StepResult } from "../../../src/domain/step.ts";
import { HOUR, MINUTE, type Instant } from "../../../src/domain/time.ts";
import { inForceOf, type InForce } from "../../../src/io/api/past/in-force.ts";
import { packPage } from "../../../src/io/journal/record-pages.ts";
import { kinds } from "../../../src/pollers/kinds.ts";
import { replayEntities } from "../../../src/record/past/replay-entities.ts";
import { replayEntity } from "../../../src/record/past/replay-entity.ts";
import { rule } from "../../core/fixtures.ts";
import { scriptedWorld, START } from "../../core/world.ts";
import { recordInMemory } from "../in-memory.ts";

const NOTHING: StepResult = { changes: [], effects: [], findings: [] };
const SILENCE = { id: "s1", owner: "alice", reason: "moves", scope: {}, from: START, until: START };
const COMMAND: Event = {
  type: "command",
  by: "alice",
  reason: "moves",
  command: { name: "silence", scope: {}, until: START + HOUR },
};

const limits = scriptedWorld({ rules: [] }).policy.limits;

/** What was in force at an instant, of a record of three changes. */
function recorded(inForce: (() => InForce) | undefined) {
  const record = recordInMemory(() => [], inForce === undefined ? {} : { inForce });
  const note = (event: Event, at: Instant, result = NOTHING): void =>
    record.note(event, at, result);
  const pages = () =>
    record.pages(START + HOUR).map(({ seq, at: from, until, whole, body }) => ({
      seq,
      at: from,
      until,
      whole: whole ? 1 : 0,
      body: packPage(body),
    }));
  return {
    note,
    at: (at: Instant) => replayEntities(pages(), { at, kinds, limits })?.inForce,
    rulesFor: (key: string, until: Instant) =>
      replayEntity(pages(), { key, from: START, until, kinds, limits })?.rules,
  };
}

describe("what was in force at an instant that is past", () => {
  it("is what was said last by then: at a start, a reload, or a command about silences", () => {
    let now: InForce = { mode: "shadow", rules: [], silences: [] };
    const { note, at } = recorded(() => now);
    note({ type: "started" }, START);
    now = { ...now, silences: [SILENCE] };
    // What changes no silence says nothing of them.
    note(COMMAND, START + MINUTE);
    expect(at(START + MINUTE)).toEqual({ mode: "shadow", rules: [], silences: [] });
    const changes = [{ table: "silence", key: "s1", value: SILENCE }] as const;
    note(COMMAND, START + 2 * MINUTE, { ...NOTHING, changes: [...changes] });
    now = { ...now, mode: "act" };
    note({ type: "policy_changed", rulesBefore: new Map(), moved: [] }, START + 3 * MINUTE);
    expect(at(START + MINUTE)).toEqual({ mode: "shadow", rules: [], silences: [] });
    expect(at(START + 2 * MINUTE)).toEqual({ mode: "shadow", rules: [], silences: [SILENCE] });
    expect(at(START + 3 * MINUTE)).toEqual(now);
  });

  it("is not known of a record that has none", () => {
    const { note, at } = recorded(undefined);
    note({ type: "started" }, START);
    note(COMMAND, START + MINUTE);
    expect(at(START + MINUTE)).toEqual({});
  });

  it("is, of an entity over a span of time, each rule for its kind that was in force by then", () => {
    let rules: InForce["rules"] = [rule({ alert: "Old" }), rule({ alert: "Other", kind: "pair" })];
    const { note, rulesFor } = recorded(() => ({ mode: "shadow", rules, silences: [] }));
    note({ type: "started" }, START);
    rules = [rule({ alert: "New" })];
    note({ type: "policy_changed", rulesBefore: new Map(), moved: [] }, START + MINUTE);
    expect(rulesFor("bsc/exchange/A", START)).toEqual(["Old"]);
    expect(rulesFor("bsc/exchange/A", START + MINUTE)).toEqual(["Old", "New"]);
    expect(rulesFor("bsc/pair/A/X", START + MINUTE)).toEqual(["Other"]);
  });

  it("has each rule as it would be written, up to a bound for all", () => {
    const { policy, state } = scriptedWorld({ rules: [rule({ alert: "Short" })] });
    expect(inForceOf(policy, state).rules).toMatchObject([
      { alert: "Short", text: expect.stringContaining("alert: Short") as string },
    ]);
    const long = rule({ alert: "Long", group: "x".repeat(600_000) });
    const rules = new Map([long, rule({ alert: "After" })].map((one) => [one.alert, one]));
    const { rules: kept } = inForceOf({ ...policy, rules }, state);
    expect(kept.map(({ alert, text }) => [alert, text])).toEqual([
      ["Long", undefined],
      ["After", undefined],
    ]);
  });
});
