/**
 * Network codes as on the wire (upper case; the public SDK's chains.json), each with its native token. Only layer-1
 * networks can be the source of a swap. The prices convert one native token into another; they are made up and fixed.
 */
type Network = {
  readonly native: string;
  readonly layer: 1 | 2;
  /** Of one native token, in US dollars. */
  readonly price: number;
};

export const NETWORKS: ReadonlyMap<string, Network> = new Map([
  ["ETH", { native: "ETH", layer: 1, price: 3_200 }],
  ["BSC", { native: "BNB", layer: 1, price: 600 }],
  ["OKC", { native: "OKT", layer: 1, price: 12 }],
  ["POLYGON", { native: "MATIC", layer: 1, price: 0.6 }],
  ["FTM", { native: "FTM", layer: 1, price: 0.5 }],
  ["AVAX", { native: "AVAX", layer: 1, price: 30 }],
  ["OPBNB", { native: "BNB", layer: 2, price: 600 }],
  ["INEVM", { native: "INJ", layer: 2, price: 20 }],
  ["BASE", { native: "ETH", layer: 2, price: 3_200 }],
  ["ARB", { native: "ETH", layer: 2, price: 3_200 }],
  ["LINEA", { native: "ETH", layer: 2, price: 3_200 }],
  ["LUMIA", { native: "LUMIA", layer: 2, price: 1 }],
]);

export const LAYER_ONE: readonly string[] = [...NETWORKS]
  .filter(([, network]) => network.layer === 1)
  .map(([code]) => code);

/** The native token of a network; the code itself if the network is unknown. */
export function nativeOf(code: string): string {
  return NETWORKS.get(code)?.native ?? code;
}

/** Converts an amount of one network's native token into another's. A swap charges no fee. */
export function convert(amount: number, from: string, to: string): number {
  return (amount * (NETWORKS.get(from)?.price ?? 1)) / (NETWORKS.get(to)?.price ?? 1);
}
