import { describe, expect, it } from "vitest";
import { explain, explanationSentences } from "../../../src/core/explain/explain.ts";
import {
  explainPast,
  storyBegin,
  pastSentences,
  type Past,
} from "../../../src/core/explain/explain-past.ts";
import { MOST_JUDGEMENTS } from "../../../src/core/explain/judgement.ts";
import { SUPPRESSION_REASONS } from "../../../src/core/act/guards/index.ts";
import type { ChannelPolicy } from "../../../src/domain/notification.ts";
import type { Observation } from "../../../src/domain/observation.ts";
import { AGGREGATOR, exchange, repair, rule } from "../fixtures.ts";
import { channel } from "../tell/channels.ts";
import { scriptedWorld, START, type World } from "../world.ts";

const RULE = "ExchangeDisabled";
const BINANCE = { aggregator: AGGREGATOR, kind: "exchange", id: "BINANCE" };
const SECOND = 1_000;

const OF_ALERT = new Set(["alert", "suppressed", "unconfirmed", "remediation"]);

/** A world, and what its journal tells of the past: every finding, with its instant. */
function recorded(
  rules = [rule({ forMs: 20_000, act: repair() })],
  channels: readonly ChannelPolicy[] = [],
) {
  const world = scriptedWorld({ rules, channels });
  const found: Past[] = [];
  world.onStep = (_event, { findings }) => {
    // Through JSON, as through the journal.
    const copies = structuredClone(findings).toReversed();
    const stored = copies.map((finding) => ({ at: world.now, finding }));
    found.unshift(...(JSON.parse(JSON.stringify(stored)) as Past[]));
  };
  const asked = (afterMs: number) => {
    const at = START + afterMs;
    const upTo = found.filter((one) => one.at <= at);
    const isOwn = ({ finding }: Past): boolean => OF_ALERT.has(finding.type);
    const question = { rule: RULE, entity: BINANCE, at, found: upTo.filter(isOwn) };
    const from = storyBegin(question) ?? at;
    return { question, others: upTo.filter((one) => !isOwn(one) && one.at >= from) };
  };
  const told = (afterMs: number): string[] => {
    const { question, others } = asked(afterMs);
    return pastSentences(world.policy.kinds, question, others);
  };
  return { world, told, past: (afterMs: number) => explainPast(asked(afterMs).question) };
}

function tellNow(world: World): string[] {
  const it = explain(world.policy, world.state, RULE, BINANCE, world.now);
  return it === undefined ? [] : explanationSentences(world.policy.kinds, it);
}

const sees = (
  world: World,
  status: "disabled" | "enabled",
  origin: Observation["origin"] = "poll",
): World => world.sees("exchanges", [exchange("BINANCE", status)], { origin });

describe("what is told of the past", () => {
  it("is word for word what was told then, whenever something had just changed", () => {
    const { world, told } = recorded();
    const live = new Map<number, string[]>();
    const remember = (): unknown => live.set(world.now - START, tellNow(world));
    world.commands({ name: "kill", source: "operator" }).passes("10s");
    sees(world, "disabled");
    remember();
    sees(world.passes("15s"), "disabled").passes("5s");
    remember();
    world.passes("10s").commands({ name: "unkill", source: "operator" });
    sees(world, "disabled").passes("100ms");
    remember();
    sees(world.passes("1s").replies("r1", "acknowledged").passes("1s"), "enabled", "probe");
    remember();
    expect(live.size).toBe(4);
    for (const [afterMs, sentences] of live) {
      expect(told(afterMs).slice(0, sentences.length), String(afterMs)).toEqual(sentences);
    }
  });

  it("tells how far `for` had come between two readings, and when its numbers are from", () => {
    const { world, told } = recorded();
    sees(world.passes("10s"), "disabled");
    expect(told(17 * SECOND).slice(0, 3)).toEqual([
      "ExchangeDisabled on bsc/exchange/BINANCE: pending, 7s of 20s (`for`) have passed.",
      "As recorded at 2026-01-01T00:00:10.000Z, 7s before:",
      "The condition status == disabled is bad.",
    ]);
  });

  it("has each fact with its value, every guard in order, and the poll that justified it", () => {
    const when = { ...rule().when, reads: ["status", "since"] };
    const { world, past, told } = recorded([rule({ when, act: repair({ mode: "shadow" }) })]);
    world.commands({ name: "hold", scope: { kind: "exchange" }, until: START + 3_600_000 });
    sees(world.passes("10s"), "disabled").passes("10s");
    const { judgement } = past(15 * SECOND);
    expect(judgement?.condition).toMatchObject({
      verdict: { truth: "bad" },
      facts: [
        { name: "status", value: "disabled" },
        { name: "since", value: START + 10 * SECOND },
      ],
      reading: { poller: "exchanges", askedAt: START + 10 * SECOND },
    });
    // No other replica shares the journal.
    const asked = SUPPRESSION_REASONS.filter((reason) => reason !== "standby");
    expect(judgement?.action?.guards.map(({ reason }) => reason)).toEqual(asked);
    expect(judgement?.action?.guards.filter(({ objects }) => objects)).toMatchObject([
      { reason: "held", detail: expect.stringContaining("alice holds exchange (h1) until") },
      { reason: "shadow" },
    ]);
    expect(told(15 * SECOND)).toContain(
      "enable_exchange is not sent (held): alice holds exchange (h1) until 2026-01-01T01:00:00.000Z: she said so.",
    );
  });

  it("ends with what happened, in order, and leaves out what concerns others", () => {
    const { world, told } = recorded([rule({ act: repair({ mode: "propose" }) })]);
    sees(world.passes("10s"), "disabled").passes("5s");
    world.commands({ name: "hold", scope: { id: "KUCOIN" }, until: START + 3_600_000 });
    world.commands({ name: "hold", scope: { id: "BINANCE" }, until: START + 3_600_000 });
    world.approves("p1").passes("5s");
    world.commands({ name: "release", hold: "h2" });
    sees(world, "disabled").passes("1s");
    const text = told(60 * SECOND);
    const story = text.slice(text.indexOf("What happened:") + 1);
    expect(story.map((line) => line.replace(/^ +\S+ /, "").replace(/[:.].*/, ""))).toEqual([
      "firing",
      expect.stringMatching(/^p1 \([0-9a-f]{16}\) proposed$/),
      "enable_exchange not sent",
      "hold h2 of alice on BINANCE began",
      "approve by alice (she said so) accepted",
      "enable_exchange not sent",
      "hold h2 of alice on BINANCE ended",
      "r1",
    ]);
    expect(story.join("\n")).not.toContain("KUCOIN");
    expect(told(12 * SECOND).join("\n")).not.toContain("h2");
  });

  it("leaves out what was not notified of a rule whose name ends like its own", () => {
    const { world, told } = recorded([rule(), rule({ alert: `Odd${RULE}` })], [channel("hook")]);
    const silence = { name: "silence", until: START + 3_600_000 } as const;
    world.commands({ ...silence, scope: { rule: `Odd${RULE}` } });
    sees(world, "disabled").passes("5s");
    expect(world.found("muted")).toHaveLength(1);
    expect(told(5 * SECOND).join("\n")).not.toContain("not notified");
    world.commands({ ...silence, scope: { rule: RULE } });
    sees(world.passes("5s"), "enabled");
    sees(world.passes("5s"), "disabled").passes("5s");
    expect(told(20 * SECOND).join("\n")).toContain("not notified (silenced)");
  });

  it("has when acting was free again after a kill switch", () => {
    const { world, told } = recorded();
    world.commands({ name: "kill", source: "operator" });
    sees(world, "disabled").passes("25s");
    sees(world.commands({ name: "unkill", source: "operator" }), "disabled").passes("7m");
    const ended = world.found("storm").filter(({ change }) => change === "ended");
    expect(ended).toMatchObject([{ rule: "*", aggregator: "*" }]);
    const story = told(480 * SECOND).join("\n");
    expect(story).toContain("ramp of all rules ended: acting is as free as before");
    expect(story).not.toContain("storm ended");
  });

  it("knows what was sent only from when it was, and its outcome from when that was seen", () => {
    const { world, past } = recorded();
    sees(world.passes("10s"), "disabled");
    sees(world.passes("20s"), "disabled").passes("1s");
    world.passes("4s").replies("r1", "acknowledged");
    sees(world.passes("5s"), "enabled", "probe");
    const states = [29, 32, 36, 60].map((seconds) =>
      past(seconds * SECOND).remediations.map(({ id, state }) => `${id} ${state}`),
    );
    expect(states).toEqual([[], ["r1 requested"], ["r1 acknowledged"], ["r1 verified"]]);
    expect(past(32 * SECOND).alert?.attempts).toBe(1);
  });

  it("counts no attempt that was settled before it was known not to have been sent", () => {
    const { world, past, told } = recorded([rule({ act: repair({ cooldownMs: 3_600_000 }) })]);
    sees(world.passes("10s"), "disabled").passes("1s");
    world.tell({ type: "policy_changed", rulesBefore: new Map(), moved: [AGGREGATOR] });
    expect(past(11 * SECOND).alert?.attempts).toBe(1);
    world.passes("1s").replies("r1", "unsent").passes("100ms");
    expect(past(12_100)).toMatchObject({
      alert: { attempts: world.alert(RULE, "exchange", "BINANCE")?.attempts },
      remediations: [{ id: "r1", state: "unverified", unsent: true }],
    });
    expect(told(12_100)).toContain(
      "  2026-01-01T00:00:12.000Z r1: enable_exchange unverified: unsent",
    );
  });

  it("counts the attempts of the run before, like the present, if it was not well in between", () => {
    const { world, past } = recorded([rule({ act: repair({ cooldownMs: 3_600_000 }) })]);
    sees(world.passes("10s"), "disabled").passes("1s").replies("r1", "rejected");
    world.passes("10s").sees("exchanges", []);
    sees(world.passes("10s"), "disabled").passes("1s");
    const now = world.alert(RULE, "exchange", "BINANCE");
    expect(now).toMatchObject({ state: "firing", attempts: 1 });
    expect(past(world.now - START).alert).toMatchObject({ startedAt: now?.startedAt, attempts: 1 });
  });

  it("says so if nothing was recorded", () => {
    const { world, told, past } = recorded();
    world.passes("10s");
    expect(told(5 * SECOND)).toEqual([
      "ExchangeDisabled on bsc/exchange/BINANCE: no alert.",
      "The journal has nothing about it up to then.",
    ]);
    expect(past(5 * SECOND).judgement).toBeUndefined();
  });

  it("is not an alert after one that was pending was dropped", () => {
    const { world, told } = recorded();
    sees(world.passes("10s"), "disabled");
    sees(world.passes("5s"), "enabled").passes("5s");
    expect(told(20 * SECOND)[0]).toBe("ExchangeDisabled on bsc/exchange/BINANCE: no alert.");
    expect(told(20 * SECOND).at(-1)).toMatch(/dropped$/);
  });
});

it("a judgement is recorded only when something changes, and of a bounded number at once", () => {
  const { world } = recorded([rule({ act: repair({ mode: "shadow" }) })]);
  const judged = (): number =>
    world.findings.filter((finding) => "judgement" in finding && finding.judgement !== undefined)
      .length;
  const many = Array.from({ length: MOST_JUDGEMENTS + 10 }, (_, index) =>
    exchange(`E${index}`, "disabled"),
  );
  world.sees("exchanges", many);
  expect(judged()).toBe(MOST_JUDGEMENTS);
  const before = world.findings.length;
  world.sees("exchanges", many).passes("30s");
  expect(world.findings.slice(before).filter(({ type }) => type !== "polled")).toEqual([]);
});
