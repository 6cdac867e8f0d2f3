import { expect, it, onTestFinished } from "vitest";
import type { WatchSourceState } from "../../../src/domain/watch.ts";
import { createRedactor } from "../../../src/io/redact/redactor.ts";
import { httpSource } from "../../../src/run/watch-list/http-source.ts";
import { sendJson, startServer, type Handler } from "../../io/local-server.ts";

const sender = (target: string) => ({ kind: "sender", target });
const BEFORE = { source: "http", name: "desks", entries: [sender("0xbefore")] } as const;

/** A list of a server that answers so, and what is called at its first change. */
async function listOf(
  handler: Handler,
  kept: readonly WatchSourceState[] = [],
  redactor = createRedactor(),
) {
  const server = await startServer(handler);
  onTestFinished(server.close);
  const settings = {
    name: "desks",
    url: server.baseUrl,
    everyMs: 3_600_000,
    timeoutMs: 60_000,
    auth: { type: "none" },
  } as const;
  const part = { watches: ({ target }: { readonly target: string }) => target !== "0xother" };
  const source = httpSource(settings, kept, { now: () => 1_000 }, redactor, part);
  const changed = Promise.withResolvers<void>();
  const begin = (): (() => void) => {
    const stop = source.start?.(changed.resolve) ?? (() => undefined);
    onTestFinished(stop);
    return stop;
  };
  return { source, begin, changed: changed.promise };
}

it("begins with what it gave before, and reports what it is given", async () => {
  const kept: readonly WatchSourceState[] = [
    { source: "file", name: "desks", entries: [sender("0xfile")] },
    BEFORE,
  ];
  const { source, begin, changed } = await listOf((_, response) => {
    sendJson(response, [{ targets: ["0x1", "0xother"], labels: { kind: "sender" } }]);
  }, kept);
  expect(source.lists()).toMatchObject([{ source: "http", entries: [sender("0xbefore")] }]);
  begin();
  await changed;
  expect(source.lists()).toMatchObject([{ entries: [sender("0x1")], successAt: 1_000 }]);
});

it("has what it gave before if a server gives an empty list, as many do on error", async () => {
  const { source, begin, changed } = await listOf(
    (_, response) => sendJson(response, []),
    [BEFORE],
  );
  begin();
  await changed;
  expect(source.lists()).toMatchObject([
    { entries: BEFORE.entries, problem: expect.stringMatching(/^the list is empty, /) },
  ]);
});

it("is empty if it is given a group without targets", async () => {
  const body = [{ targets: [], labels: { kind: "sender" } }];
  const { source, begin, changed } = await listOf(
    (_, response) => sendJson(response, body),
    [BEFORE],
  );
  begin();
  await changed;
  expect(source.lists()).toEqual([expect.objectContaining({ entries: [], successAt: 1_000 })]);
  expect(source.lists()[0]?.problem).toBeUndefined();
});

it("may be empty from the beginning", async () => {
  const { source, begin, changed } = await listOf((_, response) => sendJson(response, []));
  begin();
  await changed;
  expect(source.lists()).toMatchObject([{ entries: [], successAt: 1_000 }]);
});

it("reads nothing that repeats a secret of the config", async () => {
  const { source, begin, changed } = await listOf(
    (_, response) => sendJson(response, [{ targets: ["0c1d-secret"], labels: { kind: "sender" } }]),
    [],
    createRedactor(["0c1d-secret"]),
  );
  begin();
  await changed;
  expect(source.lists()).toMatchObject([
    { entries: undefined, problem: "the body repeats a secret, and is not read" },
  ]);
});

it("gives up the request that is under way when it ends", async () => {
  const asked = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const { begin } = await listOf((_, response) => {
    response.on("close", closed.resolve);
    asked.resolve();
  });
  const stop = begin();
  await asked.promise;
  stop();
  await closed.promise;
});
