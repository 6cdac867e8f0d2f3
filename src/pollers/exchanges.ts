import type { SeenEntity } from "../domain/entity.ts";
import { exchangeKind, pairKind } from "./kinds.ts";
import type { Poller } from "./poller.ts";
import { complete, replyOf } from "./poller.ts";

/**
 * Reads both listings: an exchange is disabled if the disabled listing says so, whatever the other
 * one says, and enabled only if it is listed and not disabled. In neither, it is missing, which the
 * kind's `whenAbsent` says. Pairs are sure only where they are listed as disabled.
 */
export const exchangesPoller: Poller = {
  name: "exchanges",
  means: "Exchanges, and the pairs that are disabled on them.",
  kinds: [exchangeKind, pairKind],
  defaultSchedule: "*/10 * * * * *",
  defaultTimeoutMs: 10_000,
  plan: () => [
    {
      name: "all",
      asks: [
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
    const pairs = disabled.pairs.map(({ exchange, assetPair }): SeenEntity => {
      const id = `${exchange}/${assetPair}`;
      return {
        kind: pairKind.kind,
        id,
        parent: { kind: exchangeKind.kind, id: exchange },
        facts: { name: id, exchange, asset_pair: assetPair, status: "disabled" },
      };
    });
    return complete([...exchanges, ...pairs]);
  },
};
