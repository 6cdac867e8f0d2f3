import { afterEach, expect, it } from "vitest";
import { mayAsk, session } from "../../../src/console/operate/session.ts";

afterEach(() => {
  session.value = undefined;
});

it("offers what the known token allows, and everything before one is known", () => {
  const needed = ["hold", "operate", "approve"] as const;
  expect(needed.filter(mayAsk)).toEqual(needed);
  const offered = (...scopes: ReadonlyArray<"read" | (typeof needed)[number]>) => {
    session.value = { name: "alice", scopes: [...scopes], token: "the-token-of-alice" };
    return needed.filter(mayAsk);
  };
  expect(offered("read")).toEqual([]);
  expect(offered("approve")).toEqual(["approve"]);
  expect(offered("hold")).toEqual(["hold"]);
  // Whoever may stop all actions may stop some.
  expect(offered("operate")).toEqual(["hold", "operate"]);
});
