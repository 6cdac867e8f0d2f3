import { expect, onTestFinished, test } from "vitest";
import { viewOf } from "../../../src/io/api/lists/view.ts";
import { openJournal } from "../../../src/io/journal/journal.ts";
import type { StoredFinding } from "../../../src/io/journal/rows.ts";
import { createBacktesting } from "../../../src/run/backtest/backtesting.ts";
import { recorded } from "../../backtest/eventful.ts";
import { rulesOf } from "../../config/rules/rule-text.ts";
import { exchange } from "../../core/fixtures.ts";
import { START } from "../../core/world.ts";
import { until } from "../../e2e/until.ts";
import { temporaryDirectory } from "../../io/temporary-directory.ts";

const RULES = `groups:
  - name: mine
    rules:
      - alert: ExchangeDisabled
        each: exchange
        when: exchange.status == "disabled"
`;

/** A world that is recorded, and a journal for its record. */
function watched() {
  const room = temporaryDirectory();
  onTestFinished(() => room.remove());
  const journal = openJournal(room.path);
  if (!journal.ok) throw new Error(journal.problem);
  onTestFinished(() => journal.value.close());
  return { ...recorded(rulesOf(RULES)), journal: journal.value };
}

/** The result of a backtest of all that was recorded, by the rules and limits in force. */
async function backtested(
  { world, live, pages, journal }: ReturnType<typeof watched>,
  foundToo: readonly StoredFinding[] = [],
) {
  const { now, policy, state } = world;
  const record = { at: now, changes: [], findings: [...live, ...foundToo], pages: pages() };
  expect(journal.commit(record)).toMatchObject({ ok: true });
  const backtesting = createBacktesting({
    past: journal,
    policy: () => policy,
    view: () => viewOf(policy, state),
    now: () => now,
  });
  onTestFinished(() => backtesting.close());
  expect(backtesting.start("alice", { since: START, until: now })).toBe(true);
  return await until("the backtest has ended", async () => {
    const { state: stands, problem, result } = backtesting.status();
    if (stands === "running") return undefined;
    expect({ stands, problem }).toEqual({ stands: "done", problem: undefined });
    return result;
  });
}

test("a backtest of a daemon leaves out the entities that the limits in force leave out", async () => {
  const one = watched();
  const { world } = one;
  world.policy = { ...world.policy, limits: { entities: 1, entitiesPerEntry: 1, vanished: 1 } };
  const disabled = ["A", "B", "C"].map((id) => exchange(id, "disabled"));
  world.passes("10s").sees("exchanges", disabled).passes("10s").sees("exchanges", disabled);
  expect((await backtested(one)).counts).toMatchObject({
    alertsTold: 1,
    alertsWould: 1,
    alertsMore: 0,
  });
});

test("a backtest of a daemon knows what really fired, however much was found since", async () => {
  const one = watched();
  const { world } = one;
  world.passes("10s").sees("exchanges", [exchange("A", "disabled")]);
  world.passes("10s").sees("exchanges", [exchange("A", "enabled")]);
  world.passes("10s").sees("exchanges", [exchange("A", "enabled")]);
  const finding = { type: "kill", source: "operator", on: true, detail: "again" } as const;
  const foundSince = Array.from({ length: 100_100 }, () => ({ at: world.now, finding }));
  expect((await backtested(one, foundSince)).counts).toMatchObject({
    alertsTold: 1,
    alertsWould: 1,
    alertsMore: 0,
  });
});

test("a backtest of a daemon reads any number of pages: a busy one writes one each second", async () => {
  const one = watched();
  const { world } = one;
  world.passes("10s").sees("exchanges", [exchange("A", "disabled")]);
  const empty = { seq: 0, at: world.now, until: world.now, whole: false, body: "[]" };
  const pages = () => [...one.pages(), ...Array.from({ length: 500_000 }, () => ({ ...empty }))];
  const journal = { ...one.journal, pagesFrom: (seq: number) => one.journal.pagesFrom(seq, 9_999) };
  expect(await backtested({ ...one, pages, journal })).toMatchObject({
    counts: { alertsWould: 1 },
  });
});

test("a backtest of a daemon says of what fires since when nothing is known, if its end cannot be read", async () => {
  const one = watched();
  const { world } = one;
  world.passes("10s").sees("exchanges", [exchange("A", "disabled")]);
  const whole = [...one.pages()];
  const lostAt = whole.at(-1)?.until;
  world.passes("10s").sees("exchanges", [exchange("A", "enabled")]);
  const pages = one
    .pages()
    .map((page, index) => (index < whole.length ? page : { ...page, body: "[" }));
  // As if other rules had been in force.
  const damaged = { ...one, live: [], pages: () => pages };
  const { alertsMore } = (await backtested(damaged)) ?? {};
  expect(alertsMore?.map((run) => [run.resolvedAt, run.lostAt])).toEqual([[undefined, lostAt]]);
});

test("a backtest of a daemon says which rules are tried, if others than those in force, and its id", () => {
  const { world, journal } = watched();
  const backtesting = createBacktesting({
    past: journal,
    policy: () => world.policy,
    view: () => viewOf(world.policy, world.state),
    now: () => world.now,
  });
  onTestFinished(() => backtesting.close());
  const span = { since: START, until: world.now };
  const tried = { text: RULES, rules: new Set(["ExchangeDisabled"]) };
  expect(backtesting.start("alice", { ...span, id: "mine", tried })).toBe(true);
  expect(backtesting.status()).toMatchObject({
    by: "alice",
    id: "mine",
    tried: ["ExchangeDisabled"],
  });
});

test("a backtest of a daemon whose journal cannot be read says why, and no more", async () => {
  const { world, journal } = watched();
  const why = "the database cannot be read: connect ECONNREFUSED";
  const backtesting = createBacktesting({
    past: { ...journal, recordSpan: () => Promise.reject(new Error(why)) },
    policy: () => world.policy,
    view: () => viewOf(world.policy, world.state),
    now: () => world.now,
  });
  onTestFinished(() => backtesting.close());
  expect(backtesting.start("alice", { since: START, until: world.now })).toBe(true);
  await expect.poll(() => backtesting.status()).toMatchObject({ state: "failed", problem: why });
});
