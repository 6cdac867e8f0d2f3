import { addressOf } from "./hash.ts";

/** Orders name an asset by its address; pairs and balances by its ticker. */

/** The native token of BSC, whose address is all zeros. */
const NATIVE = "BNB";
const NATIVE_ADDRESS = `0x${"0".repeat(40)}`;

export function assetAddress(ticker: string): string {
  return ticker === NATIVE ? NATIVE_ADDRESS : addressOf(`asset ${ticker}`);
}

/** The ticker of an asset that is named by ticker or address; undefined if it is not among `tickers`. */
export function findAsset(named: string, tickers: Iterable<string>): string | undefined {
  for (const ticker of tickers) {
    if (named === ticker || named.toLowerCase() === assetAddress(ticker)) return ticker;
  }
  return undefined;
}
