import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { WatchRow } from "../../../src/domain/watch.ts";
import { createRedactor } from "../../../src/io/redact/redactor.ts";
import { NOTHING_WATCHED } from "../../../src/pollers/poller.ts";
import { createSources } from "../../../src/run/watch-list/sources.ts";
import { temporaryDirectory } from "../../io/temporary-directory.ts";
import { aggregatorSetup } from "../watchdog-setup.ts";

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

const sender = (target: string) => [{ kind: "sender", target }];

function world(...rows: readonly WatchRow[]) {
  const file = join(directory.path, "desks.json");
  const setup = (name: string) =>
    aggregatorSetup("http://127.0.0.1:1", {
      name,
      watch: { ...NOTHING_WATCHED, senders: [{ address: "0xconfig" }] },
      watchSources: {
        files: [file],
        http: [
          {
            name: "desks",
            url: "http://127.0.0.1:1/list",
            everyMs: 60_000,
            timeoutMs: 5_000,
            auth: { type: "none" },
          },
        ],
      },
    });
  const kept = new Map(rows.map((row, index) => [String(index), row]));
  const dependencies = { clock: { now: () => 1_000 }, redactor: createRedactor() };
  return {
    file,
    setup,
    sources: createSources(
      dependencies,
      () => kept,
      () => undefined,
    ),
  };
}

it("the lists of an aggregator have what its own gave before, in the order of precedence", () => {
  const file = join(directory.path, "desks.json");
  const listing = { type: "listing", at: 1 } as const;
  const { setup, sources } = world(
    { ...listing, aggregator: "bsc", source: "http", name: "desks", entries: sender("0xhttp") },
    { ...listing, aggregator: "bsc", source: "file", name: file, entries: sender("0xfile") },
    { ...listing, aggregator: "eth", source: "file", name: file, entries: sender("0xother") },
    {
      type: "entry",
      aggregator: "bsc",
      kind: "sender",
      target: "0xapi",
      by: "ann",
      reason: "",
      at: 1,
    },
  );
  const given = sources
    .of(setup("bsc"))
    .flatMap((one) => one.lists())
    .map(({ source, entries }) => [source, entries?.map(({ target }) => target)]);
  expect(given).toEqual([
    ["config", ["0xconfig"]],
    ["file", ["0xfile"]],
    ["http", ["0xhttp"]],
    ["api", ["0xapi"]],
  ]);
});

it("a source is the same until no settings name it, and each aggregator has its own", () => {
  const { setup, sources } = world();
  const fetched = (name: string) => sources.of(setup(name)).slice(1, 3);
  const first = fetched("bsc");
  const isSame = (): boolean[] => fetched("bsc").map((one, index) => one === first[index]);
  expect(isSame()).toEqual([true, true]);
  expect(fetched("eth").some((one) => first.includes(one))).toBe(false);
  sources.keep([setup("eth"), setup("bsc")]);
  expect(isSame()).toEqual([true, true]);
  sources.keep([setup("eth")]);
  expect(isSame()).toEqual([false, false]);
});
