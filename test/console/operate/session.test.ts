import { afterEach, expect, it, vi } from "vitest";
import { LONGEST_TOKEN } from "../../../src/schema/token-length.ts";
import { mayAsk, session, signIn } from "../../../src/console/operate/session.ts";

afterEach(() => {
  session.value = undefined;
  vi.unstubAllGlobals();
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

it("sends no token that is too long, and says how long it may be", async () => {
  const asked: unknown[] = [];
  vi.stubGlobal("fetch", (_path: string, { headers }: RequestInit) => {
    asked.push(headers);
    return Promise.resolve(Response.json({ name: "alice", scopes: [] }));
  });
  expect(await signIn("a".repeat(LONGEST_TOKEN + 1))).toBe(
    `The token is too long: it has ${LONGEST_TOKEN + 1} characters, and a token has at most ${LONGEST_TOKEN}. Check what was copied`,
  );
  expect(asked).toEqual([]);
  expect(await signIn("a".repeat(LONGEST_TOKEN))).toBeUndefined();
  expect(session.value).toMatchObject({ name: "alice" });
});
