import { describe, expect, it } from "vitest";
import { HOUR, MINUTE } from "../../../src/domain/time.ts";
import {
  conditionOf,
  createLastAnswers,
  usableEtag,
} from "../../../src/io/aggregator/last-answers.ts";

const answer = (value: unknown, etag?: string, seenTwice = true) => ({
  fingerprint: String(value),
  read: { ok: true, value } as const,
  etag,
  bodyAt: 0,
  seenTwice,
});

describe("the last answers", () => {
  it("are never longer together than the bound, and keep what there is rather than the next", () => {
    const answers = createLastAnswers(100);
    answers.keep("a", answer(1), 60, 0);
    answers.keep("b", answer(2), 60, 0);
    expect(answers.get("a")).toMatchObject({ fingerprint: "1" });
    expect(answers.get("b")).toBeUndefined();
    answers.keep("a", answer(3), 30, 0);
    answers.keep("b", answer(2), 60, 0);
    expect([answers.get("a"), answers.get("b")]).toMatchObject([
      { fingerprint: "3" },
      { fingerprint: "2" },
    ]);
  });

  it("forget what was not asked for an hour, so that a watch list may change", () => {
    const answers = createLastAnswers(100);
    answers.keep("old", answer(1), 50, 0);
    answers.keep("used", answer(1), 50, 0);
    answers.renew("used", answer(1), HOUR);
    answers.keep("new", answer(2), 50, HOUR + 1);
    expect(answers.get("old")).toBeUndefined();
    expect(answers.get("used")).toBeDefined();
    expect(answers.get("new")).toBeDefined();
  });
});

describe("a condition", () => {
  it("is the tag, until the whole body is due", () => {
    expect(conditionOf(answer(1, '"x"'), 5 * MINUTE - 1)).toBe('"x"');
    expect(conditionOf(answer(1, '"x"'), 5 * MINUTE)).toBeUndefined();
    expect(conditionOf(undefined, 0)).toBeUndefined();
  });

  it("is none for a body that came only once", () => {
    expect(conditionOf(answer(1, '"x"', false), 0)).toBeUndefined();
  });

  it.each(['"abc"', 'W/"abc"', '""'])("may be %s", (tag) => {
    expect(usableEtag(tag)).toBe(tag);
  });

  it.each([undefined, "abc", '"a"b"', '"a b"', "*", `"${"x".repeat(300)}"`])(
    "is never %s",
    (tag) => {
      expect(usableEtag(tag)).toBeUndefined();
    },
  );
});
