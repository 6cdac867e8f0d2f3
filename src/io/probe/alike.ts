/**
 * Which names say the same in other deployments. Only names in one row are ever suggested for each
 * other: that two fields hold alike values says nothing.
 */
const SAME: readonly (readonly string[])[] = [
  ["id", "orderid", "uid", "orderhash", "hash", "orderno"],
  ["status", "state", "orderstatus", "swapstatus"],
  ["sender", "owner", "address", "user", "senderaddress", "from", "account", "wallet"],
  ["exchange", "exchangename", "venue", "source"],
  ["assetpair", "pair", "symbol", "market", "name", "pairname", "ticker", "instrument"],
  ["name", "exchange", "title", "label", "id", "key"],
  ["pair", "assetpair", "symbol", "name", "pairname", "pool"],
  ["factory", "factoryname", "dex", "amm", "protocol"],
  ["a", "base", "basereserve", "reservea", "reserve0", "amounta", "x"],
  ["p", "quote", "quotereserve", "reserveb", "reserve1", "amountb", "y"],
  ["lockorder", "lock", "order", "lockedorder"],
  ["secrethash", "hash", "hashlock", "hashedsecret", "lockhash"],
  ["exchanges", "disabledexchanges", "venues"],
  ["pairs", "disabledpairs", "assetpairs", "symbols", "markets"],
  ["order", "data", "result", "item"],
  ["broker", "brokeraddress", "address", "name", "id", "owner"],
  ["asset", "currency", "token", "coin", "symbol"],
  ["amount", "balance", "quantity", "qty", "size", "value", "available"],
  ["estimation", "estimate", "amountout", "out", "result", "quote"],
  ["price", "lastprice", "last", "rate"],
  ["volume", "vol", "volume24h", "basevolume"],
];

const bare = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");

/** Of `names`, the one that most likely says what `wanted` says; undefined where none does. */
export function alikeName(wanted: string, names: readonly string[]): string | undefined {
  const target = bare(wanted);
  const same = names.find((name) => bare(name) === target);
  if (same !== undefined) return same;
  for (const [first, ...others] of SAME) {
    if (first !== target) continue;
    for (const other of others) {
      const found = names.find((name) => bare(name) === other);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
