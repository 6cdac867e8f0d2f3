import { expect, it } from "vitest";
import { toEnd } from "../../src/domain/slices.ts";
import type { Command } from "../../src/domain/command.ts";
import type { Change, Event, Finding, StepResult } from "../../src/domain/step.ts";
import { createLog } from "../../src/io/process/log.ts";
import { createPublisher, type Observers } from "../../src/run/publisher.ts";
import { loopTest, START } from "./loop-world.ts";

const CHANGE: Change = { table: "counter", key: "at", value: 1 };
const KILLED: Finding = { type: "kill", source: "operator", on: true, detail: "a drill" };
const NOTHING: StepResult = { changes: [], findings: [], effects: [] };

/** What was shown, counted and logged, in its order. */
function published(observers: Partial<Observers> = {}) {
  const spans = new Set<unknown>();
  const seen: unknown[] = [];
  const log = createLog({ level: "info", format: "json" }, { isTerminal: false }, (line) => {
    const { time: _, ...fields } = JSON.parse(line) as Record<string, unknown>;
    seen.push(fields);
  });
  const publisher = createPublisher(
    log,
    {
      count: (counted, span) => {
        spans.add(span);
        seen.push(...counted.map(({ type }) => `count ${type}`));
      },
      changed: (changes) => void seen.push(`${changes.length} changed`),
      expect: () => undefined,
      render: () => Promise.reject(new Error("there is no scrape")),
    },
    { onResumed: () => void seen.push("polled again"), ...observers },
  );
  const publish = (event: Event, result: Partial<StepResult> = {}): void => {
    const slices = publisher.publish(event, { ...NOTHING, ...result }, START);
    if (slices !== undefined) toEnd(slices);
  };
  return { ...publisher, spans, publish, taken: () => seen.splice(0) };
}

it("a step is shown, counted and logged, and a tick is noted when that is done", () => {
  const test = published({
    onStep: function* () {
      yield;
      shown.push("shown");
    },
    onTick: (at) => void shown.push(at, ...test.taken()),
  });
  const shown: unknown[] = [];
  test.publish({ type: "tick" }, { changes: [CHANGE], findings: [KILLED] });
  const line = expect.objectContaining({ level: "warn", source: "operator", detail: "a drill" });
  expect(shown).toEqual(["shown", START, "0 changed", "1 changed", "count kill", line]);
  test.publish({ type: "started" });
  expect(shown.slice(6)).toEqual(["shown"]);
});

it("log and metrics name the span of a step in each of its lines and samples", () => {
  const span = { trace_id: "t", span_id: "s" };
  const test = published({ tracing: { stepped: () => span } });
  test.publish({ type: "tick" }, { findings: [KILLED] });
  expect(test.taken()).toContainEqual(expect.objectContaining(span));
  expect([...test.spans]).toEqual([span]);
});

it("a process that could not run says so, and polls everything again", () => {
  const test = published();
  test.publish({ type: "resumed", since: START, awayMs: 60_000 });
  expect(test.taken()).toEqual([
    "0 changed",
    expect.objectContaining({ level: "warn", away_ms: 60_000 }),
    "polled again",
  ]);
  test.publish({ type: "tick" });
  expect(test.taken()).toEqual(["0 changed"]);
});

it("another reason why the journal cannot be written is a line, and the first one is a finding", () => {
  const test = published();
  const failing: Event = { type: "journal", writable: false, detail: "no space", unsent: [] };
  const change: Change = { table: "kill", key: "journal", value: undefined };
  const msg = expect.stringContaining("another reason");
  const other = expect.objectContaining({ level: "warn", msg });
  test.publish(failing, { changes: [change] });
  expect(test.taken()).toContainEqual(other);
  test.publish(failing, { changes: [change], findings: [{ ...KILLED, detail: "full" }] });
  test.publish(failing, { changes: [CHANGE] });
  test.publish({ type: "tick" }, { changes: [change] });
  expect(test.taken()).not.toContainEqual(other);
});

it("an operator finds in the log which accepted commands were lost, each with who gave it and why", () => {
  const world = loopTest();
  const test = published();
  const ask = (reason: string, command: Command) => {
    const event: Event = { type: "command", by: "ann", reason, command };
    const result = world.loop.ask(event)?.result ?? NOTHING;
    return { event, at: START, result, answer: () => undefined };
  };
  world.loop.push({ type: "started" });
  test.onForgotten?.([
    ask("a drill", { name: "kill", source: "operator" }),
    ask("a slip", { name: "release", hold: "h9" }),
  ]);
  expect(test.taken()).toEqual([
    expect.objectContaining({ level: "error", by: "ann", reason: "a drill", command: "kill" }),
  ]);
});

it("a bug is shown, counted and logged, and ends the daemon only if it goes on no more", async () => {
  const bugs: boolean[] = [];
  const test = published({ onBug: (_error, _event, fatal) => void bugs.push(fatal) });
  let ended: unknown;
  void test.broken.then((error) => (ended = error));
  const bug = new Error("a bug");
  test.onBug(bug, { type: "tick" }, false);
  await Promise.resolve();
  expect([bugs, ended]).toEqual([[false], undefined]);
  const line = expect.objectContaining({ level: "fatal", event: "tick", fatal: false });
  expect(test.taken()).toEqual(["count bug", line]);
  test.onBug(bug, { type: "tick" }, true);
  expect([bugs, await test.broken]).toEqual([[false, true], bug]);
});
