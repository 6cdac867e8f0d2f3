import { addressOf } from "./hash.ts";

/** Orders name assets by their address; pairs and balances by their ticker. */

const NATIVE_ADDRESS = `0x${"0".repeat(40)}`;

/** The address of an asset: zeros for the native coin of this instance's network (BNB on BSC). */
export function assetAddress(ticker: string, native = "BNB"): string {
  return ticker === native ? NATIVE_ADDRESS : addressOf(`asset ${ticker}`);
}

/** The ticker that an address or a ticker means, among those that are known. */
export function findAsset(named: string, tickers: Iterable<string>): string | undefined {
  for (const ticker of tickers) {
    if (named === ticker || named.toLowerCase() === assetAddress(ticker)) return ticker;
  }
  return undefined;
}
