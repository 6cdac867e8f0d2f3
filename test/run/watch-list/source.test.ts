import { expect, it } from "vitest";
import { fail, succeed, type Result } from "../../../src/domain/result.ts";
import { partOf, takeContent, type FetchedList } from "../../../src/run/watch-list/source.ts";

const sender = (target: string, alias?: string) => ({
  kind: "sender",
  target,
  ...(alias === undefined ? {} : { alias }),
});

it("is as good as at its last success, also if that brought the same, and not if a problem did", () => {
  const list: FetchedList = { source: "http", name: "desks", entries: undefined };
  let reads = 0;
  const take = (content: Result<string, string>, now: number): FetchedList => {
    takeContent(list, content, now, (text) => {
      reads += 1;
      return text.startsWith("0x") ? succeed([sender(text)]) : fail(["line 1: no", "line 2: no"]);
    });
    return { ...list, content: undefined };
  };
  const good = { source: "http", name: "desks", entries: [sender("0x1")], content: undefined };
  expect(take(succeed("0x1"), 1)).toEqual({ ...good, successAt: 1 });
  expect(take(succeed("0x1"), 2)).toEqual({ ...good, successAt: 2 });
  expect(reads).toBe(1);
  const bad = { ...good, successAt: 2, problem: "line 1: no\nline 2: no" };
  expect([take(succeed("x"), 3), take(succeed("x"), 4)]).toEqual([bad, bad]);
  expect(reads).toBe(2);
  // A problem is not taken for a content that has the same words.
  expect(take(fail("0x1"), 5)).toEqual({ ...bad, problem: "0x1" });
  expect(take(succeed("0x1"), 6)).toEqual({ ...good, successAt: 6 });
});

it("has the entries that are watched here, and beside them the names that others give", () => {
  const entries = [sender("0xa"), sender("0xb", "desk"), sender("0xc"), sender("0xd", "fund")];
  const watches = ({ target }: { readonly target: string }) => target < "0xc";
  expect(partOf(entries)).toEqual({ entries });
  expect(partOf(entries, { watches })).toEqual({ entries: entries.slice(0, 2) });
  expect(partOf(entries, { watches, sharesNames: () => true })).toEqual({
    entries: entries.slice(0, 2),
    withOthers: [entries[0], entries[1], entries[3]],
  });
});
