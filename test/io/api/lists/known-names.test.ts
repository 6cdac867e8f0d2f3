/** Tests src/io/api/lists/known-names.ts, by the lists that take names. */
import { describe, expect, it } from "vitest";
import { createApp } from "../../../../src/io/api/server.ts";
import { thereIsNo } from "../../../../src/io/api/lists/there-is-no.ts";
import type { ServerSource } from "../../../../src/io/api/server-source.ts";
import { eventfulWorld, sourceOf } from "../server-fixture.ts";

async function ask(path: string, change: Partial<ServerSource> = {}) {
  const reply = await createApp(sourceOf(eventfulWorld(), change)).request(`/api/v1/${path}`);
  return { status: reply.status, body: (await reply.json()) as { readonly total: number } };
}

const refused = (...problems: string[]) => ({
  status: 400,
  body: { error: "the query is wrong", problems },
});

describe("a name that is none", () => {
  it.each(["alerts", "remediations", "timeline"])(
    "is refused by /%s with what was probably meant, or all there are",
    async (list) => {
      expect(await ask(`${list}?alertname=ExchangeDisbled&aggregator=eth`)).toEqual(
        refused(
          'aggregator: there is no aggregator "eth" (bsc)',
          'alertname: there is no rule "ExchangeDisbled" (did you mean "ExchangeDisabled"?)',
        ),
      );
      expect(await ask(`${list}?alertname=Nonsense`)).toEqual(
        refused('alertname: there is no rule "Nonsense" (ExchangeDisabled, PairDisabled, Later)'),
      );
      expect(await ask(`${list}?kind=exchnge`)).toEqual(
        refused('kind: there is no kind "exchnge" (did you mean "exchange"?)'),
      );
      expect(await ask(`${list}?entity=exchnge/A`)).toEqual(
        refused('entity: there is no kind "exchnge" (did you mean "exchange"?)'),
      );
      expect(await ask(`${list}?entity=eth/exchange/A`)).toEqual(
        refused('entity: there is no aggregator "eth" (bsc)'),
      );
      for (const entity of ["exchange/GONE", "bsc/exchange/GONE"])
        // oxlint-disable-next-line no-await-in-loop -- few
        expect((await ask(`${list}?entity=${entity}`)).status, entity).toBe(200);
    },
  );

  it("is refused by /entities and /pollers, too", async () => {
    expect(await ask("entities?kind=pairs&aggregator=bsx")).toEqual(
      refused(
        'aggregator: there is no aggregator "bsx" (did you mean "bsc"?)',
        'kind: there is no kind "pairs" (did you mean "pair"?)',
      ),
    );
    expect(await ask("pollers?aggregator=nowhere")).toEqual(
      refused('aggregator: there is no aggregator "nowhere" (bsc)'),
    );
  });

  it("is not a name that just has nothing now", async () => {
    for (const path of ["alerts?kind=broker", "entities?kind=broker", "timeline?alertname=Later"])
      // oxlint-disable-next-line no-await-in-loop -- few
      expect((await ask(path)).status, path).toBe(200);
  });

  it("is not a name that is gone, as long as the list has something of it", async () => {
    const names = () => ({ aggregator: ["new"], kind: [], rule: ["New"] });
    const gone = "aggregator=bsc&kind=exchange&alertname=ExchangeDisabled";
    expect(await ask(`alerts?${gone}`, { names })).toMatchObject({ body: { total: 1 } });
    expect(await ask(`remediations?${gone}`, { names })).toMatchObject({ body: { total: 1 } });
    // Another filter may find none of it: that does not make the name unknown.
    expect(await ask(`alerts?${gone}&state=resolved`, { names })).toMatchObject({
      body: { total: 0 },
    });
    expect((await ask("pollers?aggregator=bsc", { names })).status).toBe(200);
    const storm = { rule: "Gone", aggregator: "bsc", change: "began", detail: "" } as const;
    const found = [{ at: 1, seq: 1, finding: { type: "storm", ...storm } as const }];
    const { past } = sourceOf(eventfulWorld());
    const journal = { past: { ...past, between: () => ({ found, next: undefined }) } };
    expect((await ask("timeline?alertname=Gone", journal)).status).toBe(200);
    expect((await ask("timeline?alertname=Gone")).status).toBe(400);
  });
});

it.each(["alerts", "remediations", "entities"])(
  "/%s has only what is of the aggregator that is asked for",
  async (list) => {
    const names = () => ({ aggregator: ["bsc", "eth"], kind: [], rule: [] });
    const all = await ask(list, { names });
    expect(all.body.total).toBeGreaterThan(0);
    expect(await ask(`${list}?aggregator=bsc`, { names })).toEqual(all);
    expect(await ask(`${list}?aggregator=eth`, { names })).toMatchObject({ body: { total: 0 } });
  },
);

it("tells no more names than somebody reads", () => {
  const many = Array.from({ length: 30 }, (_, index) => `Rule${index}`);
  expect(thereIsNo("rule", "nothing alike", many)).toMatch(/\(Rule0, .*, Rule19 and 10 more\)$/);
  expect(thereIsNo("rule", "any", [])).toBe('there is no rule "any" (there is none)');
});
