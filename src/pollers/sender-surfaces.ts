import type { ReadEndpoint } from "../aggregator/endpoints/index.ts";
import type { Swap } from "../aggregator/endpoints/swaps.ts";
import { identifierKey } from "../domain/identifier.ts";
import type { SurfaceReading } from "../domain/observation.ts";
import { createFinder, firstOfEach, mismatched, type Surface, type WatchList } from "./poller.ts";

/** The surfaces of the watched senders: one request for each, as the interface lists swaps by sender only. */

type Watched = Pick<WatchList, "senders">;

/** A surface for each watched sender, named by its address as `identifierKey` has it. */
export function senderSurfaces(
  { senders }: Watched,
  endpoint: ReadEndpoint,
  args: Readonly<Record<string, string>> = {},
): readonly Surface[] {
  return firstOfEach(senders, ({ address }) => identifierKey(address)).map(({ address }) => ({
    name: identifierKey(address),
    requests: [{ endpoint, args: { sender: address, ...args } }],
  }));
}

/** The failed reading of a reply that lists a swap of another sender; undefined if it lists none. */
export function foreignSwap(
  { name: sender }: Surface,
  endpoint: ReadEndpoint,
  swaps: readonly Swap[],
): SurfaceReading | undefined {
  const foreign = swaps.findIndex((swap) => identifierKey(swap.sender) !== sender);
  if (foreign === -1) return undefined;
  return mismatched(endpoint, `$[${foreign}].sender: expected the sender asked for`);
}

const findSender = createFinder<WatchList["senders"][number]>(({ address }) =>
  identifierKey(address),
);

/** The configured alias of a watched sender, or its address. */
export function aliasOfSender({ senders }: Watched, address: string): string {
  return findSender(senders, address)?.alias ?? address;
}
