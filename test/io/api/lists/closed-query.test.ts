import { describe, expect, it } from "vitest";
import { createApp } from "../../../../src/io/api/server.ts";
import { eventfulWorld, sourceOf } from "../server-fixture.ts";

const app = createApp(sourceOf(eventfulWorld()));

async function problemsOf(path: string): Promise<unknown> {
  const reply = await app.request(`/api/v1/${path}`);
  expect(reply.status, path).toBe(400);
  const said = (await reply.json()) as { error: string; problems: readonly string[] };
  expect(said.error).toBe("the query is wrong");
  return said.problems;
}

describe("a query", () => {
  it("is refused if it has a parameter that there is not, as all would seem to match it", async () => {
    expect(await problemsOf("remediations?stat=verified")).toEqual([
      'there is no parameter "stat" (did you mean "state"?)',
    ]);
    expect(await problemsOf("pollers?rule=x&kind=y")).toEqual([
      'there is no parameter "rule" (at, aggregator, span, bucket)',
      'there is no parameter "kind" (at, aggregator, span, bucket)',
    ]);
  });

  it.each(["status", "findings", "watch", "events"])(
    "of the present alone refuses an instant: %s",
    async (path) => {
      const at = new Date(Date.UTC(2025, 11, 31)).toISOString();
      expect(await problemsOf(`${path}?at=${at}`)).toEqual([
        expect.stringMatching(/^there is no parameter "at" \(/),
      ]);
    },
  );

  it.each([
    ["alerts?limit=abc", "limit: must be a whole number"],
    ["alerts?limit=1.5", "limit: must be a whole number"],
    ["alerts?limit=0", "limit: must be at least 1"],
    ["alerts?limit=1001", "limit: must be at most 1000"],
    ["watch?aggregator=nope", 'aggregator: there is no aggregator "nope" (bsc)'],
    ["alerts?state=firing&state=pending", "state: may be given once only"],
    ["alerts?limit=1&limit=2", "limit: may be given once only"],
    ["alerts?limit=", "limit: must be a whole number"],
    ["watch?limit=", "limit: must be a whole number"],
    ["watch?limit=null", "limit: must be a whole number"],
    ["alerts?limit=0x10", "limit: must be a whole number"],
    ["alerts?limit=1e2", "limit: must be a whole number"],
    ["alerts?limit=%2010", "limit: must be a whole number"],
    ["findings?limit=-1", "limit: must be at least 1"],
    ["entities/a/b/c?limit=1", 'there is no parameter "limit" (at)'],
    ["entities?condition=bd", "condition: must be one of ok, bad, unknown"],
    ["entities?kind=", "kind: must not be empty"],
    [`alerts?text=${"x".repeat(301)}`, "text: must have at most 300 characters"],
    ["explain?rule=R", "entity: is missing"],
    [
      "timeline?from=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z",
      "from: 2026-01-02T00:00:00Z is later than until, 2026-01-01T00:00:00Z",
    ],
  ])("says in words what is wrong: %s", async (path, problem) => {
    expect(await problemsOf(path)).toEqual([problem]);
  });

  it("is apart from the path, of which the problem says so", async () => {
    const reply = await app.request(`/api/v1/entities/bsc/exchange/${"x".repeat(601)}`);
    expect([reply.status, await reply.json()]).toEqual([
      400,
      { error: "the path is wrong", problems: ["id: must have at most 600 characters"] },
    ]);
  });

  it("says in words what is too large to count", async () => {
    expect(await problemsOf("alerts?limit=99999999999999999999")).toEqual([
      "limit: must be at most 9007199254740991",
      "limit: must be at most 1000",
    ]);
  });
});
