import { addressOf } from "./hash.ts";

/** Orders name assets by their address; pairs and balances by their ticker. */

/** The native coin of BSC, whose address is zeros. */
const NATIVE = "BNB";
const NATIVE_ADDRESS = `0x${"0".repeat(40)}`;

export function assetAddress(ticker: string): string {
  return ticker === NATIVE ? NATIVE_ADDRESS : addressOf(`asset ${ticker}`);
}

/** The ticker that an address or a ticker means, among those that are known. */
export function findAsset(named: string, tickers: Iterable<string>): string | undefined {
  for (const ticker of tickers) {
    if (named === ticker || named.toLowerCase() === assetAddress(ticker)) return ticker;
  }
  return undefined;
}
