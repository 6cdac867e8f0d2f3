/**
 * A small seeded generator (sfc32, by Chris Doty-Humphrey). Its state is four numbers in the world
 * itself, so that a copied world goes on exactly as the original would.
 */
export type RandomState = [number, number, number, number];

export function seedRandom(seed: number): RandomState {
  const state: RandomState = [seed | 0, Math.floor(seed / 2 ** 32) | 0, 0x9e3779b9 | 0, 1];
  // The first outputs of close seeds are alike, so they are thrown away.
  for (let round = 0; round < 16; round += 1) nextRandom(state);
  return state;
}

/** The next number, at least 0 and below 1. */
export function nextRandom(state: RandomState): number {
  const [first, second, third, counter] = state;
  const sum = (((first + second) | 0) + counter) | 0;
  state[0] = second ^ (second >>> 9);
  state[1] = (third + (third << 3)) | 0;
  state[2] = (((third << 21) | (third >>> 11)) + sum) | 0;
  state[3] = (counter + 1) | 0;
  return (sum >>> 0) / 2 ** 32;
}

export function between(state: RandomState, low: number, high: number): number {
  return low + nextRandom(state) * (high - low);
}

export function chance(state: RandomState, probability: number): boolean {
  return nextRandom(state) < probability;
}

/** A random item of the list; undefined if the list is empty. */
export function pick<Item>(state: RandomState, list: readonly Item[]): Item | undefined {
  return list[Math.floor(nextRandom(state) * list.length)];
}

/** `0x` and this many random hexadecimal digits. */
export function randomHex(state: RandomState, digits: number): string {
  let text = "0x";
  for (let index = 0; index < digits; index += 1)
    text += Math.floor(nextRandom(state) * 16).toString(16);
  return text;
}
