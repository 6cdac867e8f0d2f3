import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { RawReply } from "../../../src/domain/reply.ts";
import { DAY, MINUTE, SECOND } from "../../../src/domain/time.ts";
import { openRawReplies, type RawReplies } from "../../../src/io/journal/raw-replies.ts";
import { listReplies, readReply, type KeptReply } from "../../../src/io/journal/read-replies.ts";
import { REPLIES_FILE, type RawRepliesSettings } from "../../../src/io/journal/replies-store.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

let room: ReturnType<typeof temporaryDirectory>;
let now = 1_000_000_000_000;
let replies: RawReplies | undefined;
let troubles: string[] = [];

beforeEach(() => {
  room = temporaryDirectory();
  now = 1_000_000_000_000;
  troubles = [];
});
afterEach(() => {
  replies?.close();
  room.remove();
});

function open(settings: Partial<RawRepliesSettings> = {}, directory = room.path): RawReplies {
  replies = openRawReplies(
    { keep: "changes", maxBytes: 10_000_000, retentionMs: DAY, ...settings },
    {
      directory,
      clock: { now: () => now },
      onError: (error) => void troubles.push(String(error)),
    },
  );
  return replies;
}

const reply = (body: string, more: Partial<RawReply> = {}): RawReply => ({
  at: now,
  aggregator: "bsc",
  endpoint: "exchanges",
  args: "{}",
  status: 200,
  failure: undefined,
  body,
  ...more,
});

function kept(filter: object = {}): readonly KeptReply[] {
  const listed = listReplies(room.path, { limit: 1_000, ...filter });
  if (!listed.ok) throw new Error(listed.problem);
  return listed.value;
}

function bodies(filter: object = {}): readonly string[] {
  return kept(filter).map(({ id }) => {
    const one = readReply(room.path, id);
    if (!one.ok) throw new Error(one.problem);
    return one.value.body;
  });
}

describe("replies that are kept as they came", () => {
  it("are those that are not the one before to the same question", () => {
    const { note, flush } = open();
    for (const body of ["[1]", "[1]", "[2]", "[2]", "[1]"]) note(reply(body));
    note(reply("[1]", { aggregator: "eth" }));
    note(reply("[1]", { args: '{"pair":"A-B"}' }));
    note(reply("[1]", { endpoint: "pairs" }));
    note(reply("[1]", { status: 500, failure: "status: status 500" }));
    note(reply("[1]", { status: 503, failure: "status: status 503" }));
    flush();
    expect(bodies()).toEqual(["[1]", "[2]", ...Array<string>(6).fill("[1]")]);
    expect(kept().at(-1)).toMatchObject({ status: 503, failure: "status: status 503", length: 3 });
  });

  it("are only those in which nothing could be read, if no others are wanted", () => {
    const { note, flush } = open({ keep: "failures" });
    note(reply("[1]"));
    for (let poll = 0; poll < 3; poll += 1) note(reply("<html>", { failure: "not_json: an <" }));
    note(reply("[1]"));
    note(reply("<html>", { failure: "not_json: an <" }));
    flush();
    expect(bodies()).toEqual(["<html>", "<html>"]);
  });

  it("are also those that could be read until the settings changed how, once", () => {
    const { note, flush } = open({ keep: "failures" });
    note(reply("[1]"));
    for (let poll = 0; poll < 3; poll += 1) note(reply("[1]", { failure: "missing: pools" }));
    note(reply("[1]"));
    flush();
    expect(bodies()).toEqual(["[1]"]);
  });

  it("give every character of a body back", () => {
    const { note, flush } = open();
    const body = `\u0000\u001b[31m "é" 😀 \ufffd ${"x".repeat(100_000)}`;
    note(reply(body));
    flush();
    expect(bodies()).toEqual([body]);
  });

  it("can be read while more are written, by time, aggregator and endpoint, the newest first to be kept", () => {
    const { note, flush } = open();
    for (let index = 0; index < 6; index += 1) {
      const endpoint = index % 2 === 0 ? "exchanges" : "pairs";
      note(reply(`[${index}]`, { endpoint, aggregator: index < 3 ? "bsc" : "eth" }));
      now += 1_000;
    }
    flush();
    expect(bodies({ limit: 2 })).toEqual(["[4]", "[5]"]);
    expect(bodies({ aggregator: "bsc" })).toEqual(["[0]", "[1]", "[2]"]);
    expect(bodies({ endpoint: "pairs" })).toEqual(["[1]", "[3]", "[5]"]);
    expect(bodies({ since: now - 4_000, until: now - 3_000 })).toEqual(["[2]", "[3]"]);
  });

  it("go when they are old, and the oldest when there is no more room", () => {
    const { note, flush } = open({ maxBytes: 200_000, retentionMs: MINUTE });
    note(reply("old"));
    flush();
    now += MINUTE + 1;
    // Nothing of it can be deflated.
    const body = () => Array.from({ length: 2_000 }, () => Math.random().toString(36)).join("");
    for (let index = 0; index < 400; index += 1) note(reply(`${index} ${body().slice(0, 2_000)}`));
    flush();
    const left = bodies().map((text) => Number(text.split(" ")[0]));
    expect(left.at(-1)).toBe(399);
    expect(left.length).toBeLessThan(160);
    expect(left.length).toBeGreaterThan(20);
    expect(left).toEqual(left.toSorted((one, other) => one - other));
  });

  it("wait for the next write until they are long together", () => {
    const { note } = open();
    const long = "x".repeat(3_000_000);
    for (const body of ["a", "b", "c", "d"]) note(reply(`${body} ${long}`));
    expect(kept()).toHaveLength(3);
  });

  it("are written each second, and at the end", () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const { note, close } = open();
    note(reply("[1]"));
    vi.advanceTimersByTime(SECOND);
    expect(bodies()).toEqual(["[1]"]);
    note(reply("[2]"));
    close();
    replies = undefined;
    expect(readdirSync(room.path)).toEqual([REPLIES_FILE]);
    expect(bodies()).toEqual(["[1]", "[2]"]);
  });

  it("are forgotten after so many questions, and kept once more", () => {
    const { note, flush } = open({ keep: "failures" });
    const failed = reply("<html>", { failure: "not_json: an <" });
    const asked = (first: number, count: number): void => {
      for (let index = first; index < first + count; index += 1)
        note(reply("[1]", { args: `${index}` }));
    };
    note(failed);
    asked(0, 49_999);
    note(failed);
    flush();
    expect(bodies()).toEqual(["<html>"]);
    asked(49_999, 1);
    note(failed);
    flush();
    expect(bodies()).toEqual(["<html>", "<html>"]);
  });

  it("are lost while another process has the file, and kept again a minute later", () => {
    const { note, flush } = open();
    note(reply("[1]"));
    flush();
    const other = new DatabaseSync(join(room.path, REPLIES_FILE));
    other.exec("BEGIN IMMEDIATE");
    note(reply("[2]"));
    flush();
    other.close();
    expect(troubles).toEqual([expect.stringContaining("locked")]);
    now += MINUTE;
    note(reply("[3]"));
    flush();
    expect(troubles).toHaveLength(1);
    expect(bodies()).toEqual(["[1]", "[3]"]);
  });

  it("are lost if they cannot be written, which is said once, and kept again a minute later", () => {
    const data = join(room.path, "data");
    const { note, flush } = open({}, data);
    note(reply("[1]"));
    flush();
    note(reply("[2]"));
    flush();
    expect(troubles).toHaveLength(1);
    mkdirSync(data);
    now += MINUTE;
    note(reply("[3]"));
    flush();
    expect(troubles).toHaveLength(1);
    const listed = listReplies(data, { limit: 10 });
    expect(listed).toMatchObject({ ok: true, value: [{ id: 1 }] });
  });

  it("are not written into what is no such file, nor into one of another version", () => {
    const file = join(room.path, REPLIES_FILE);
    writeFileSync(file, "this is not a database, and long enough to be seen as none ".repeat(40));
    const first = open();
    first.note(reply("[1]"));
    first.close();
    expect(troubles[0]).toContain("not a database");
    expect(listReplies(room.path, { limit: 1 })).toMatchObject({ ok: false });
    rmSync(file);
    const database = new DatabaseSync(file);
    database.exec("PRAGMA user_version = 9");
    database.close();
    const second = open();
    second.note(reply("[1]"));
    second.close();
    expect(troubles[1]).toContain("another version of aggwatch (schema 9)");
    expect(listReplies(room.path, { limit: 1 })).toMatchObject({
      ok: false,
      problem: expect.stringContaining("schema 9"),
    });
  });
});
