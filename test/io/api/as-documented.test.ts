/** Tests src/io/api: what clients may rely on by the OpenAPI document if they make a mistake. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { allows, SCOPES } from "../../../src/config/settings/tokens.ts";
import { createTokenGate } from "../../../src/io/api/tokens.ts";
import { busyApp } from "./busy-app.ts";

const sha256 = (token: string) => createHash("sha256").update(token).digest("hex");
const gate = createTokenGate({
  tokens: () => [
    { name: "alice", sha256: sha256("a-token"), scopes: SCOPES },
    ...SCOPES.map((scope) => ({ name: scope, sha256: sha256(scope), scopes: [scope] })),
  ],
  clock: { now: () => 0 },
  onRefused: () => {},
});
const app = busyApp({ gate });

type Operation = {
  readonly parameters?: ReadonlyArray<{ readonly name: string; readonly schema: object }>;
  readonly requestBody?: object;
  readonly security?: ReadonlyArray<{ readonly token: readonly string[] }>;
  readonly responses: Readonly<Record<string, unknown>>;
};

const document = (await (await app.request("/api/v1/openapi.json")).json()) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly securitySchemes?: object };
};

const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { requestBody, security, responses }]) => ({
    name: `${method} ${path}`,
    method: method.toUpperCase(),
    path: path.replaceAll(/\{\w+\}/g, "x"),
    takesBody: requestBody !== undefined,
    security,
    statuses: Object.keys(responses).map(Number),
  })),
);

type Call = (typeof calls)[number];

async function made({ method, path, statuses }: Call, body?: string, type = "application/json") {
  const headers = { authorization: "Bearer a-token", "content-type": type };
  const reply = await app.request(path, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  expect(statuses, "documents the status").toContain(reply.status);
  return { status: reply.status, said: (await reply.json()) as object };
}

const REASON = JSON.stringify({ reason: "a mistake" });

it("has no parameter that may be null, as it is a text", () => {
  const parameters = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).flatMap((operation) => operation.parameters ?? []),
  );
  expect(parameters.length).toBeGreaterThan(50);
  expect(parameters.filter(({ schema }) => JSON.stringify(schema).includes('"null"'))).toEqual([]);
});

describe("the token that a call needs", () => {
  it("is described", () => {
    expect(document.components.securitySchemes).toMatchObject({
      token: { type: "http", scheme: "bearer" },
    });
    const changing = calls.filter(({ method }) => method !== "GET");
    expect(changing.length).toBeGreaterThan(10);
    expect(changing.filter(({ security }) => security?.[0]?.token.length !== 1)).toEqual([]);
  });

  it.each(calls)("is documented: $name", async ({ method, path, security, takesBody }) => {
    const by = async (token?: string): Promise<boolean> => {
      const authorization = token === undefined ? undefined : { authorization: `Bearer ${token}` };
      const headers = { "content-type": "application/json", ...authorization };
      const body = takesBody ? { body: "{" } : {};
      const { status, body: stream } = await app.request(path, { method, headers, ...body });
      await stream?.cancel();
      return status !== 401 && status !== 403;
    };
    expect(await by()).toBe(security === undefined);
    const needed = security?.[0]?.token.flatMap((name) => SCOPES.filter((scope) => scope === name));
    for (const scope of SCOPES)
      expect(await by(scope), scope).toBe(needed?.every((one) => allows([scope], one)) ?? true);
  });
});

describe("a parameter that there is not", () => {
  it.each(calls)("is refused: $name", async (call) => {
    const body = call.takesBody ? REASON : undefined;
    expect(await made({ ...call, path: `${call.path}?nothing=1` }, body)).toEqual({
      status: 400,
      said: {
        error: "the query is wrong",
        problems: expect.arrayContaining([
          expect.stringMatching(/^there is no parameter "nothing" \(.+\)$/),
        ]),
      },
    });
  });
});

describe.each(calls.filter(({ takesBody }) => takesBody))("the body of $name", (call) => {
  it.each(["", "{", "x"])("is refused like every wrong one if it is not JSON: %j", async (body) => {
    expect(await made(call, body)).toEqual({
      status: 400,
      said: { error: "the body is wrong", problems: ["the body: must be JSON"] },
    });
  });

  it("has documented answers if it is of another type, or too large", async () => {
    expect(await made(call, REASON, "text/plain")).toMatchObject({ status: 415 });
    const large = JSON.stringify({ reason: "x".repeat(100_000) });
    expect(await made(call, large)).toMatchObject({ status: 413 });
  });
});
