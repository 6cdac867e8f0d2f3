import { expect, it } from "vitest";
import { checkFence, lossText } from "../../../src/io/journal/shared-journal.ts";

const FENCE = { epoch: 5, sequence: 8, after: 7 };
const LOST = /^the database has lost what it had acknowledged: .*, and number 7 under 5 was there$/;

it.for([
  [{ epoch: 5, sequence: 7 }, undefined],
  [
    { epoch: 5, sequence: 6 },
    { kind: "unknown", detail: /number 6, and 7 was expected/ },
  ],
  [
    { epoch: 5, sequence: 8 },
    { kind: "unknown", detail: /number 8, and 7 was expected/ },
  ],
  [
    { epoch: 5, sequence: 7, isOthers: true },
    { kind: "fenced", detail: /has lost who had it/ },
  ],
  [
    { epoch: 5, sequence: 8, isOthers: true },
    { kind: "fenced", detail: /has lost who had it/ },
  ],
  [
    { epoch: 6, sequence: 1 },
    { kind: "fenced", detail: /the epoch 6 now, and this replica had 5/ },
  ],
  [
    { epoch: 4, sequence: 7 },
    { kind: "fenced", detail: LOST },
  ],
  [
    { epoch: 4, sequence: 9 },
    { kind: "fenced", detail: LOST },
  ],
] as const)("over the stamp %j, a commit finds %j", ([found, problem]) => {
  const checked = checkFence(found, FENCE);
  if (problem === undefined) return expect(checked).toEqual({ ok: true, value: undefined });
  const { kind, detail } = problem;
  expect(checked).toEqual({ ok: false, problem: { kind, detail: expect.stringMatching(detail) } });
});

it("a database has lost commits if its stamp is before one that was there", () => {
  const known = { epoch: 5, sequence: 7 };
  const lost = (epoch: number, sequence: number) =>
    lossText({ epoch, sequence }, known) !== undefined;
  expect([lost(5, 7), lost(5, 8), lost(6, 1)]).toEqual([false, false, false]);
  expect([lost(5, 6), lost(4, 7), lost(4, 9)]).toEqual([true, true, true]);
});
