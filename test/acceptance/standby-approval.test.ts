import { describe, expect, it } from "vitest";
import { DEFAULT_LIQUIDATIONS } from "../../src/simulator/model/default-world.ts";
import { usePostgres } from "../io/postgres/fixture.ts";
import { startAggregator } from "./aggregator.ts";
import type { LogLine } from "./daemon.ts";
import { startPair } from "./pair.ts";
import { askAsAlice } from "./people.ts";
import { QUICK_RULES } from "./quick.ts";

const server = usePostgres();
const [ORDER] = DEFAULT_LIQUIDATIONS;

const isProposed =
  (id: string) =>
  ({ msg, proposal }: LogLine): boolean =>
    msg === "proposed" && proposal === id;

type Refused = { readonly error: string; readonly proposal?: object };

describe("an approval that is given to a standby and refused", () => {
  it("is answered with the proposal as it is now, as its text says", async (context) => {
    const aggregator = await startAggregator(context);
    aggregator.control({ do: "set_order", id: ORDER, status: "ACCEPTED" });
    aggregator.control({ do: "freeze_order", id: ORDER });
    const { a, b } = await startPair(context, await server().makeDatabase(), aggregator.url, {
      watch: `    watch: { liquidations: ["${ORDER}"] }`,
      rules: QUICK_RULES.replace("action: force_cancel_order", "$&, approvals: 2"),
    });
    await a.line(isProposed("p1"));
    const [{ digest } = { digest: "" }] = (await a.status()).proposals;
    const path = "/api/v1/proposals/p1/approve";
    const approve = async (asked: typeof a) => {
      const { status, text } = await askAsAlice(asked, path, { digest, reason: "checked" });
      return { status, body: JSON.parse(text) as Refused };
    };
    // What it knows of the proposal is from before the approval.
    expect((await b.status()).proposals).toMatchObject([{ id: "p1", approvals: [] }]);
    expect(await approve(a)).toMatchObject({ status: 200 });
    expect(await approve(b)).toMatchObject({
      status: 409,
      body: {
        error: expect.stringMatching(/^p1 was approved by alice already, .*: 1 of 2 approvals/),
        proposal: { id: "p1", approvals: [{ by: "alice" }] },
      },
    });
    aggregator.control({ do: "set_amount", id: ORDER, amount: 10_000 });
    await a.line(isProposed("p2"));
    const refused = await approve(b);
    expect(refused).toMatchObject({
      status: 409,
      body: { proposal: { id: "p2", approvals: [], facts: { amount: 10_000 } } },
    });
    expect(refused.body.error).toContain("p2 took its place");
  });
});
