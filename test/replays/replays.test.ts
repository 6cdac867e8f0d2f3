import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SECOND } from "../../src/domain/time.ts";
import { foundLive, replayed, type Told } from "./replayed.ts";

const replays = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => join(import.meta.dirname, name));

/** Alerts and what became of actions; how many instants later it was is not part of it. */
function told(all: readonly Told[]): string[] {
  return all.map(({ text }) => text).toSorted();
}

describe("a journal that an earlier version recorded", () => {
  it.each(replays)("is replayed to the same findings: %s", (directory) => {
    const { told: found, problems, divergences } = replayed(directory);
    const expected = readFileSync(join(directory, "expected.txt"), "utf8").trim().split("\n");
    expect(found.map(({ at, text }) => `${at} ${text}`)).toEqual(expected);
    expect(problems).toEqual([]);
    expect(divergences).toBe(0);
  });

  it.each(replays)("tells what the daemon found when it ran: %s", (directory) => {
    const live = foundLive(directory);
    const { told: found } = replayed(directory);
    expect(told(found)).toEqual(told(live));
    for (const { at, text } of live) {
      const near = found.some((one) => one.text === text && Math.abs(one.at - at) <= SECOND);
      expect(near, text).toBe(true);
    }
  });
});
