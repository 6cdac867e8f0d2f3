import { afterEach, expect, it, vi } from "vitest";
import { LONGEST_TOKEN } from "../../../src/schema/token-length.ts";
import { call, mayAsk, refusalOf, session, signIn } from "../../../src/console/operate/session.ts";

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

it("sends no token that no header can carry, and keeps none that is not known", async () => {
  const asked: unknown[] = [];
  vi.stubGlobal("fetch", (path: string) => {
    asked.push(path);
    return Promise.resolve(Response.json({ error: "this token is not known" }, { status: 401 }));
  });
  for (const token of ["a b", "\u200Bthe-token", "the-token\u0410"])
    expect(await signIn(token)).toMatch(/^This is no token/);
  expect(asked).toEqual([]);
  expect(await signIn("the-token")).toBe("Refused (401): this token is not known");
  expect(session.value).toBeUndefined();
});

it("forgets a token that is not accepted any more, and no other", async () => {
  const alice = { name: "alice", scopes: [], token: "the-token-of-alice" };
  const bob = { name: "bob", scopes: [], token: "the-token-of-bob" };
  let reply = Response.json({ error: "no such hold" }, { status: 404 });
  let meanwhile = (): void => undefined;
  vi.stubGlobal("fetch", () => {
    meanwhile();
    return Promise.resolve(reply);
  });
  session.value = alice;
  expect(await call("DELETE", "api/v1/holds/x")).toMatchObject({ status: 404 });
  expect(session.value).toEqual(alice);
  reply = Response.json({ error: "this token is not known" }, { status: 401 });
  meanwhile = () => (session.value = bob);
  await call("DELETE", "api/v1/holds/x");
  expect(session.value).toEqual(bob);
  reply = Response.json({ error: "this token is not known" }, { status: 401 });
  await call("DELETE", "api/v1/holds/x");
  expect(session.value).toBeUndefined();
});

it("says that there is no answer, rather than that it was refused, if none came", () => {
  const refused = { ok: false, problem: "why" } as const;
  expect(refusalOf({ ...refused, status: 409 })).toBe("Refused (409): why");
  expect(refusalOf({ ...refused, status: undefined })).toBe("No answer: why");
});
