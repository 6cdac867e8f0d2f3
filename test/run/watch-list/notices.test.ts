import { expect, it } from "vitest";
import type { WatchReading, WatchSourceState } from "../../../src/domain/watch.ts";
import { createLog } from "../../../src/io/process/log.ts";
import { createProblemLog, noticesOf } from "../../../src/run/watch-list/notices.ts";
import { aggregatorSetup } from "../watchdog-setup.ts";

function readingOf(
  state: Partial<WatchSourceState>,
  change: Partial<WatchReading> = {},
): WatchReading {
  const list: WatchSourceState = { source: "http", name: "desks", entries: undefined, ...state };
  return {
    aggregator: "bsc",
    entries: [],
    sources: [list],
    conflicts: [],
    sweeps: [],
    ...change,
  };
}

it("a problem is logged once when it begins or is another one, and once when it is over", () => {
  const lines: unknown[] = [];
  const log = createLog({ level: "info", format: "json" }, { isTerminal: false }, (line) => {
    lines.push(JSON.parse(line));
  });
  const logProblems = createProblemLog();
  const look = (problem: string | undefined, aggregator = "bsc"): readonly unknown[] => {
    logProblems(log, [readingOf(problem === undefined ? {} : { problem }, { aggregator })]);
    return lines.splice(0);
  };
  const list = "http desks";
  const begins = (aggregator: string, ...problems: readonly string[]) => [
    expect.objectContaining({ level: "error", aggregator, list, problems }),
  ];
  expect(look(undefined)).toEqual([]);
  expect(look("no JSON\nnor YAML")).toEqual(begins("bsc", "no JSON", "nor YAML"));
  expect(look("no JSON\nnor YAML")).toEqual([]);
  // Another aggregator's list of the same name.
  expect(look("no JSON", "eth")).toEqual(begins("eth", "no JSON"));
  expect(look("status 500")).toEqual(begins("bsc", "status 500"));
  expect(look(undefined)).toEqual([
    expect.objectContaining({ level: "info", aggregator: "bsc", list }),
  ]);
  expect(look(undefined)).toEqual([]);
  expect(look("status 500")).toEqual(begins("bsc", "status 500"));
});

const setup = aggregatorSetup("http://127.0.0.1:1");

it("says what is in force instead of a list that cannot be read, and the first line of why", () => {
  const textOf = (entries: WatchSourceState["entries"]) =>
    noticesOf(readingOf({ entries, problem: "no JSON\nnor YAML" }), setup);
  const isInForce = (what: string) => [
    `Watch list http desks of bsc: ${what} is in force: no JSON`,
  ];
  expect(textOf(undefined)).toEqual(isInForce("nothing"));
  expect(textOf([])).toEqual(isInForce("what it said before (0 entries)"));
  const entry = { kind: "sender", target: "0x1" };
  expect(textOf([entry])).toEqual(isInForce("what it said before (1 entry)"));
});

it("names five conflicts at the most, and counts the others", () => {
  const textOf = (count: number) => {
    const conflicts = Array.from({ length: count }, (_, index) => `conflict ${index}`);
    return noticesOf(readingOf({}, { conflicts }), setup);
  };
  const five = [0, 1, 2, 3, 4].map((index) => `Watch lists of bsc: conflict ${index}`);
  expect(textOf(5)).toEqual(five);
  expect(textOf(7)).toEqual([...five, "Watch lists of bsc: 2 more such"]);
});
