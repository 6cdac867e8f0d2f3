import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commandLine } from "../command-line.ts";
import { openRawReplies } from "../../../src/io/journal/raw-replies.ts";
import { temporaryDirectory } from "../../io/temporary-directory.ts";

let room: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  room = temporaryDirectory();
});
afterEach(() => room.remove());

it("a directory that cannot be looked into is not taken for one without replies", async () => {
  // As the directory of another user is; root may look into all but this.
  const loop = join(room.path, "loop");
  symlinkSync(loop, loop);
  const { code, err } = await run("--data", loop);
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringMatching(/^\S+replies\.sqlite cannot be read \(ELOOP/),
  });
});

it("a config that is not YAML is refused, as it may say where the data directory is", async () => {
  const config = join(room.path, "aggwatch.yaml");
  writeFileSync(config, "data: [\n");
  const args = ["replies", "--config", config];
  const refused = await commandLine(args);
  expect(refused.exitCode).toBe(1);
  expect(refused.complained).toMatch(/^\S+aggwatch\.yaml:\d+:\d+: error: /);
  const missing = `${join(room.path, "replies.sqlite")} is not there`;
  expect((await run("--config", config)).err).toContain(missing);
  const given = await commandLine([...args, "--data", room.path]);
  expect(given.complained).toContain(missing);
});

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const { exitCode, printed, complained } = await commandLine(["replies", ...args], {
    AGGWATCH_DATA: room.path,
  });
  return { code: exitCode, out: printed, err: complained };
}

const AT = Date.UTC(2026, 0, 31, 12);

function keep(...bodies: string[]): void {
  const replies = openRawReplies(
    { keep: "changes", maxBytes: 1_000_000, retentionMs: 1_000_000 },
    {
      directory: room.path,
      clock: { now: () => AT },
      onError: (error) => expect.fail(String(error)),
    },
  );
  for (const [index, body] of bodies.entries()) {
    const failure = body.startsWith("[") ? undefined : "not_json: it begins with\n\u001b<";
    const args = index === 0 ? "{}" : '{"sender":"0xabc"}';
    const more = { aggregator: "bsc", endpoint: "swaps", status: 200, at: AT + index };
    replies.note({ ...more, args, failure, body });
  }
  replies.close();
}

describe("aggwatch replies", () => {
  it("lists what was kept, and shows one of it", async () => {
    keep("[1]", "<html>\u001b[31m");
    const { code, out } = await run();
    expect(code).toBe(0);
    expect(out.split("\n")).toEqual([
      "ID  AT                        AGGREGATOR  ENDPOINT  ARGUMENTS           STATUS  LENGTH  READ",
      "1   2026-01-31T12:00:00.000Z  bsc         swaps                         200     3       yes",
      '2   2026-01-31T12:00:00.001Z  bsc         swaps     {"sender":"0xabc"}  200     11      not_json: it begins with \ufffd<',
    ]);
    expect((await run("1")).out).toBe("[1]");
    expect((await run("2")).out).toBe("<html>\ufffd[31m");
    expect(JSON.parse((await run("2", "--json")).out)).toMatchObject({
      id: 2,
      at: "2026-01-31T12:00:00.001Z",
      args: '{"sender":"0xabc"}',
      body: "<html>\u001b[31m",
    });
    const newest: unknown = JSON.parse((await run("--json", "--limit", "1")).out);
    expect(newest).toEqual([expect.objectContaining({ id: 2, at: "2026-01-31T12:00:00.001Z" })]);
    expect((await run("--endpoint", "reserves")).out).toBe("No kept reply matches.");
    expect((await run("--since", "2026-01-31T12:00:00.001Z")).out).not.toContain("yes");
    expect((await run("--until", "2026-01-31T12:00:00Z")).out).not.toContain("not_json");
  });

  it("refuses what is no endpoint, such as a poller, with those that there are", async () => {
    keep("[1]");
    const refused = await run("--endpoint", "pools");
    expect(refused).toMatchObject({ code: 2, out: "" });
    expect(refused.err).toMatch(/There is no such endpoint; known: exchanges, .*reserves/);
    expect((await run("--endpoint", "exchange")).err).toContain('did you mean "exchanges"?');
  });

  it("says what is wrong, and what to do", async () => {
    const nothing = await run();
    expect(nothing.code).toBe(1);
    expect(nothing.err).toContain("no reply was kept. The setting record.replies.keep says which");
    keep("[1]");
    expect((await run("7")).err).toContain("there is no reply 7");
    expect((await run("x")).err).toContain("x is not the id of a reply, which is a number");
    expect((await run("--since", "soon")).err).toContain("neither an instant");
    const limit = await run("--limit", "0");
    expect(limit.code).toBe(2);
    expect(limit.err).toContain("a whole number from 1");
  });
});
