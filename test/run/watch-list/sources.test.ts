import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import type { WatchRow } from "../../../src/domain/watch.ts";
import { createRedactor } from "../../../src/io/redact/redactor.ts";
import { NOTHING_WATCHED } from "../../../src/pollers/poller.ts";
import { createSources } from "../../../src/run/watch-list/sources.ts";
import { startServer } from "../../io/local-server.ts";
import { temporaryDirectory } from "../../io/temporary-directory.ts";
import { aggregatorSetup } from "../watchdog-setup.ts";

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

const sender = (target: string) => [{ kind: "sender", target }];

let url = "http://127.0.0.1:1/list";

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
            url,
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

it("a part has of the config what it is given, and of operators' entries what it watches", () => {
  const entry = { type: "entry", aggregator: "bsc", by: "ann", reason: "", at: 1 } as const;
  const { setup, sources } = world(
    { ...entry, kind: "sender", target: "0xours" },
    { ...entry, kind: "sender", target: "0xtheirs" },
  );
  const whole = setup("bsc");
  const part = {
    watches: ({ target }: { readonly target: string }) => target !== "0xtheirs",
    configured: [...sender("0xgiven"), ...sender("0xtheirs")],
  };
  const listed = () => sources.of({ ...whole, part }).flatMap((one) => one.lists());
  const targets = listed().map(({ entries }) => entries?.map(({ target }) => target));
  expect(targets).toEqual([["0xgiven"], undefined, ["0xours"]]);
  // What is as it was is not compared entry by entry.
  expect(listed()[0]).toBe(listed()[0]);
});

it("a source is followed while settings name it, again if they name it again, and until the end", async () => {
  let onAsked: (response: ServerResponse) => void = () => undefined;
  const asked = (): Promise<ServerResponse> => new Promise((resolve) => void (onAsked = resolve));
  const server = await startServer((_, response) => onAsked(response));
  onTestFinished(server.close);
  url = server.baseUrl;
  const { setup, sources } = world();
  onTestFinished(sources.stop);
  const setups = [setup("bsc")];
  /** It is asked at the first step, and no longer once the second is taken. */
  const follows = async (begin: () => void, end: () => void): Promise<void> => {
    const first = asked();
    begin();
    const closed = once(await first, "close");
    end();
    await closed;
  };
  await follows(
    () => sources.start(setups),
    () => sources.keep([]),
  );
  await follows(() => sources.keep(setups), sources.stop);
  expect(server.seen).toHaveLength(2);
});
