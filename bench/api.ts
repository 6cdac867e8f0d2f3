import { createHash } from "node:crypto";
import { createPollHistory } from "../src/io/api/lists/poll-history.ts";
import { alertsIn, alertsQuery } from "../src/io/api/lists/alerts.ts";
import { entitiesIn, entitiesQuery } from "../src/io/api/lists/entities.ts";
import { pollersIn, pollersQuery } from "../src/io/api/lists/pollers.ts";
import { alertsAnswer } from "../src/io/api/lists/alerts.ts";
import { entitiesAnswer } from "../src/io/api/lists/entities.ts";
import { pollersAnswer } from "../src/io/api/lists/pollers.ts";
import { viewOf, type View } from "../src/io/api/lists/view.ts";
import { statusOf } from "../src/core/explain/status.ts";
import { piecesOf } from "../src/io/api/codec.ts";
import { statusAnswer, statusAnswerOf } from "../src/io/api/status-answer.ts";
import type { SeenEntity } from "../src/domain/entity.ts";
import { toEnd } from "../src/domain/slices.ts";
import { compare, type Rounds } from "./measure.ts";
import type { Population } from "./population.ts";
import { timesOf, type Row } from "./table.ts";
import { shippedPolicy, watch } from "./watched.ts";

/** A list's answer, made and written as text, beside the whole status: that is what one had to read before. */
export async function benchApi(senders: number, rounds: Rounds): Promise<Row[]> {
  const { policy, state } = watch(shippedPolicy(), manySenders(senders));
  const view = viewOf(policy, state);
  const baseline = (): void => {
    const own = { version: "", replica: undefined, notices: [], watched: [] };
    const answer = toEnd(statusAnswerOf(statusOf(policy, state), own));
    [...piecesOf(statusAnswer, answer)].join("");
  };
  const rows: Row[] = [];
  for (const [name, ours] of Object.entries(answersOf(view))) {
    const turns = 5;
    const compared = await compare(rounds, { turns, ours: () => void ours(), baseline });
    rows.push({
      name: `api: ${name}`,
      size: state.tables.entity.size,
      ...timesOf(compared),
      note: `${state.tables.alert.size} alerts, ${Math.round(ours().length / 1_000)} kB`,
    });
  }
  return rows;
}

/** As a URL has it: all texts. */
type Query = Readonly<Record<string, string>>;

function answersOf(view: View): Readonly<Record<string, () => string>> {
  const entities = (query: Query) => (): string =>
    JSON.stringify(
      entitiesAnswer.encode(
        toEnd(entitiesIn(view, entitiesQuery.parse({ kind: "sender", ...query }))),
      ),
    );
  const alerts = (query: Query) => (): string =>
    JSON.stringify(alertsAnswer.encode(alertsIn(view, alertsQuery.parse(query))));
  return {
    "senders, the first page": entities({}),
    "senders, sorted by condition": entities({ sort: "condition" }),
    "senders, sorted by a fact, downwards": entities({ sort: "-fact.address" }),
    "senders, searched": entities({ text: "desk 9f" }),
    "alerts, the first page": alerts({}),
    "alerts, a thousand at once": alerts({ limit: "1000" }),
    "alerts, searched": alerts({ text: "exchange9 usdt" }),
    pollers: () =>
      JSON.stringify(
        pollersAnswer.encode(
          pollersIn(
            { view, polls: createPollHistory(), aggregators: [], past: undefined },
            pollersQuery.parse({}),
          ),
        ),
      ),
  };
}

/** As many senders, and a tenth as many disabled pairs, each of which is an alert. */
export function manySenders(count: number): Population {
  const senders = Array.from({ length: count }, (_, index): readonly [string, SeenEntity[]] => {
    const address = `0x${createHash("sha1").update(String(index)).digest("hex")}`;
    const facts = { address, alias: `desk-${address.slice(-4)}`, active_swaps: 3, missing: false };
    return [address, [{ kind: "sender", id: address, facts }]];
  });
  const pairs = Array.from({ length: count / 10 }, (_, index): SeenEntity => {
    const name = `EXCHANGE${index % 100}/A${index}-USDT`;
    const facts = { name, exchange: `EXCHANGE${index % 100}`, asset_pair: `A${index}-USDT` };
    const parent = { kind: "exchange", id: facts.exchange };
    return { kind: "pair", id: name, parent, facts: { ...facts, status: "disabled" } };
  });
  return {
    size: count,
    listings: new Map([
      ["exchanges", new Map([["all", pairs]])],
      ["swaps", new Map(senders)],
    ]),
  };
}
