import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MINUTE } from "../../../src/domain/time.ts";
import { listReplies, readReply } from "../../../src/io/journal/read-replies.ts";
import { openStore, REPLIES_FILE } from "../../../src/io/journal/replies-store.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const AT = 1_000_000_000_000;
let room: ReturnType<typeof temporaryDirectory>;
beforeEach(() => (room = temporaryDirectory()));
afterEach(() => room.remove());

const reply = (number: number, at: number) => ({
  at,
  aggregator: "bsc",
  endpoint: "exchanges",
  args: "{}",
  status: 200,
  failure: undefined,
  body: String(number),
});

/** The numbers of those that are kept, the oldest first. */
function kept(): readonly number[] {
  const listed = listReplies(room.path, { limit: 1_000 });
  if (!listed.ok) throw new Error(listed.problem);
  return listed.value.map(({ id }) => {
    const one = readReply(room.path, id);
    if (!one.ok) throw new Error(one.problem);
    return Number(one.value.body);
  });
}

describe("the file of the kept replies", () => {
  it("keeps its size over restarts, and has room again once the old ones have gone", () => {
    // Each takes some 220 bytes.
    const settings = { keep: "changes", maxBytes: 10_000, retentionMs: MINUTE } as const;
    const add = (from: number, count: number, at: number): void => {
      const store = openStore(room.path, settings);
      const replies = Array.from({ length: count }, (_, index) => reply(from + index, at));
      store.write(replies, at);
      store.close();
    };
    add(0, 40, AT);
    add(40, 40, AT);
    const most = kept().length;
    expect(most).toBeGreaterThan(30);
    expect(most).toBeLessThan(50);
    expect(kept().at(-1)).toBe(79);
    add(80, 1, AT + MINUTE);
    expect(kept()).toHaveLength(most + 1);
    add(81, 30, AT + MINUTE + 1);
    expect(kept()).toEqual(Array.from({ length: 31 }, (_, index) => 80 + index));
  });

  it("is its owner's alone, can be read while it is written, and stands alone afterwards", () => {
    const file = join(room.path, REPLIES_FILE);
    const store = openStore(room.path, { keep: "changes", maxBytes: 10_000, retentionMs: MINUTE });
    store.write([reply(1, AT)], AT);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const reader = new DatabaseSync(file, { readOnly: true });
    reader.exec("BEGIN");
    const count = () => reader.prepare("SELECT count(*) AS count FROM reply").get()?.["count"];
    expect(count()).toBe(1);
    store.write([reply(2, AT)], AT);
    expect(count()).toBe(1);
    reader.close();
    expect(kept()).toEqual([1, 2]);
    store.close();
    expect(readdirSync(room.path)).toEqual([REPLIES_FILE]);
  });

  it("has all of what is written at once, or nothing", () => {
    const store = openStore(room.path, { keep: "changes", maxBytes: 10_000, retentionMs: MINUTE });
    // No instant has a fraction.
    expect(() => store.write([reply(1, AT), reply(2, AT + 0.5)], AT)).toThrow(/cannot store REAL/);
    store.write([reply(3, AT)], AT);
    store.close();
    expect(kept()).toEqual([3]);
  });
});
