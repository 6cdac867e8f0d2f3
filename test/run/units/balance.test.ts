/** Tests src/run/units/balance.ts: who is to own which unit. */
import { expect, it } from "vitest";
import { assign } from "../../../src/run/units/balance.ts";

type Given = {
  readonly owners?: Readonly<Record<string, string>>;
  readonly live: readonly string[];
  /** Who leaves a unit. */
  readonly left?: Readonly<Record<string, readonly string[]>>;
};

function assigned(units: readonly string[], { owners = {}, live, left = {} }: Given) {
  const found = assign(units, new Map(Object.entries(owners)), live, new Map(Object.entries(left)));
  return Object.fromEntries([...found].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

it("no replica that lives: no unit has an owner", () => {
  expect(assigned(["1", "2"], { owners: { 1: "a" }, live: [] })).toEqual({});
});

it("nothing moves if no replica has two more than another, whoever has one more", () => {
  const owners = { 1: "a", 2: "b", 3: "b" };
  expect(assigned(["1", "2", "3"], { owners, live: ["a", "b"] })).toEqual(owners);
});

it("a replica keeps what the other leaves, and gives it what else it has", () => {
  const given = { owners: { 1: "a", 2: "a" }, live: ["a", "b"], left: { 2: ["b"] } };
  expect(assigned(["1", "2"], given)).toEqual({ 1: "b", 2: "a" });
});

it("a unit stays where it is if only replicas that leave it have room", () => {
  const left = { 1: ["b"], 2: ["b"], 3: ["b"] };
  const owners = { 1: "c", 2: "c", 3: "a" };
  expect(assigned(["1", "2", "3"], { owners, live: ["a", "b", "c"], left })).toEqual(owners);
});

it("a unit without an owner for which only replicas that leave it have room goes to one that has fewest", () => {
  const owners = { 1: "a", 2: "a", 3: "c" };
  const given = { owners, live: ["a", "b", "c"], left: { 4: ["b"] } };
  expect(assigned(["1", "2", "3", "4"], given)).toEqual({ ...owners, 4: "c" });
});
