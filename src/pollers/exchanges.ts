import type { Decoded } from "../aggregator/endpoints/index.ts";
import { madeOnce } from "../domain/lists/changed-items.ts";
import type { KindDefinition, SeenEntity } from "../domain/entity.ts";
import { joined } from "../domain/identifier.ts";
import { flag, text, words } from "./fact-types.ts";
import type { SurfaceReading } from "../domain/observation.ts";
import { complete, definePoller, replyOf } from "./poller.ts";

const exchangeKind = {
  kind: "exchange",
  means: "A whole exchange, as listed by exchange/list and exchange/disabled.",
  facts: {
    name: text("The exchange's name, e.g. BINANCE."),
    status: words(
      ["enabled", "disabled", "missing"],
      "`enabled`, `disabled`, or `missing` (in neither listing, though it was seen before).",
    ),
    listed: flag("Whether it is in the list of accessible exchanges."),
    disabled: flag("Whether it is in the disabled listing."),
  },
  whenAbsent: { status: "missing", listed: false, disabled: false },
} as const satisfies KindDefinition;

const pairKind = {
  kind: "pair",
  means:
    "An asset pair that is disabled on one exchange. Only the disabled listing shows pairs, so a pair that leaves it is gone.",
  facts: {
    name: text("Exchange and pair, e.g. BINANCE/ORN-USDT."),
    exchange: text("The exchange's name."),
    asset_pair: text("The pair, e.g. ORN-USDT."),
    status: words(["disabled"], "Always `disabled`."),
  },
  whenAbsent: "gone",
  parent: exchangeKind.kind,
  listsOnlyBad: true,
} as const satisfies KindDefinition;

/**
 * Reads both listings: an exchange is disabled if the disabled listing says so, whatever the other
 * one says, and enabled only if it is listed and not disabled. In neither, it is missing, which the
 * kind's `whenAbsent` says. Pairs are sure only if they are listed as disabled. An exchange in both
 * is alerted as disabled, and as the two contradict each other, it is not repaired.
 */
export const exchangesPoller = definePoller({
  name: "exchanges",
  means: "Exchanges, and the pairs that are disabled on them.",
  kinds: [exchangeKind, pairKind],
  defaultSchedule: "*/10 * * * * *",
  defaultTimeoutMs: 10_000,
  plan: () => [
    {
      name: "all",
      requests: [
        { endpoint: "exchanges", args: {} },
        { endpoint: "disabled", args: {} },
      ],
    },
  ],
  read: (_surface, replies) => {
    const listed = new Set(replyOf(replies, "exchanges"));
    const disabled = replyOf(replies, "disabled");
    const disabledNames = new Set(disabled.exchanges);
    const names = [...new Set([...listed, ...disabledNames])];
    const exchanges = names.map((name): SeenEntity => {
      const isDisabled = disabledNames.has(name);
      return {
        kind: exchangeKind.kind,
        id: name,
        facts: {
          name,
          status: isDisabled ? "disabled" : "enabled",
          listed: listed.has(name),
          disabled: isDisabled,
        },
      };
    });
    const pairs = disabled.pairs.map((pair) => disabledPair(pair));
    return contradicting(
      complete([...exchanges, ...pairs]),
      names.filter((name) => listed.has(name) && disabledNames.has(name)),
    );
  },
});

const disabledPair = madeOnce(
  ({ exchange, assetPair }: Decoded["disabled"]["pairs"][number]): SeenEntity => {
    const id = joined(exchange, assetPair);
    return {
      kind: pairKind.kind,
      id,
      parent: { kind: pairKind.parent, id: exchange },
      facts: { name: id, exchange, asset_pair: assetPair, status: "disabled" },
    };
  },
);

function contradicting(reading: SurfaceReading, names: readonly string[]): SurfaceReading {
  if (!reading.ok || names.length === 0) return reading;
  const detail = "in the list and in the disabled listing";
  const contradictions = names.map((id) => ({ kind: exchangeKind.kind, id, detail }));
  return { ...reading, contradictions };
}
