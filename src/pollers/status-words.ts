import type { Order } from "../aggregator/endpoints/orders.ts";
import type { KindDefinition } from "../domain/entity.ts";
import type { Swap } from "../aggregator/endpoints/swaps.ts";

/** Which status words mean what, whatever their case. A word in none of them says nothing sure. */
export type Statuses = {
  readonly open: readonly string[];
  readonly cancelable: readonly string[];
  readonly final: readonly string[];
  readonly swaps: {
    readonly active: readonly string[];
    readonly settled: readonly string[];
    readonly expired: readonly string[];
  };
};

/** In the order in which orders move. FILLED is not final: it goes on to TX_PENDING, and then to SETTLED or FAILED. */
export const DEFAULT_STATUSES: Statuses = {
  open: ["NEW", "ACCEPTED", "ROUTING", "PARTIALLY_FILLED", "FILLED", "TX_PENDING"],
  cancelable: ["NEW", "ACCEPTED", "ROUTING", "PARTIALLY_FILLED"],
  final: ["SETTLED", "CANCELED", "REJECTED", "FAILED"],
  swaps: { active: ["ACTIVE"], settled: ["SETTLED"], expired: ["EXPIRED"] },
};

/** The setting by whose words a kind's status is spelled; undefined if its status, if it has one, is aggwatch's own. */
export function settingOfStatus({ facts }: Pick<KindDefinition, "facts">): string | undefined {
  return Object.values(facts).find(({ words }) => words !== undefined)?.words;
}

/** The same word, as deployments write it in other cases. */
export function isWord(one: string, other: string): boolean {
  return one === other || one.toLowerCase() === other.toLowerCase();
}

/** The words in the order in which orders pass through them, as the settings list them; those in no list come last. */
export function inOrderOfMoves(
  words: readonly string[],
  { open, cancelable, final }: Omit<Statuses, "swaps">,
): readonly string[] {
  const known = [...open, ...cancelable, ...final];
  const rankOf = (word: string): number => {
    const rank = known.findIndex((one) => isWord(one, word));
    return rank === -1 ? known.length : rank;
  };
  return words.toSorted((one, other) => rankOf(one) - rankOf(other));
}

/** The word as the settings spell it; undefined if it is none of theirs. */
function spelled(word: string, ...lists: ReadonlyArray<readonly string[]>): string | undefined {
  for (const list of lists) {
    const own = list.find((one) => isWord(one, word));
    if (own !== undefined) return own;
  }
  return undefined;
}

type Meaning<Name extends string> = { readonly status: string } & {
  readonly [Own in Name]?: boolean;
};

/** What a word says, by the lists that it may be in: nothing, if it is in none of them. */
function meaningOf<Name extends string>(
  status: string,
  lists: Readonly<Record<Name, readonly string[]>>,
): Meaning<Name> {
  const entries = Object.entries(lists) as Array<[Name, readonly string[]]>;
  const word = spelled(status, ...entries.map(([, list]) => list));
  if (word === undefined) return { status } as Meaning<Name>;
  const flags = entries.map(([name, list]) => [name, spelled(word, list) !== undefined]);
  return { status: word, ...(Object.fromEntries(flags) as Record<Name, boolean>) };
}

/** The status of an order, and what it says. */
export function orderStatus({ status }: Pick<Order, "status">, statuses: Statuses) {
  const { open, cancelable, final } = statuses;
  return meaningOf(status, { open, cancelable, final });
}

/** The status of a swap, and what it says. */
export function swapStatus({ status }: Pick<Swap, "status">, { swaps }: Statuses) {
  return meaningOf(status, swaps);
}
