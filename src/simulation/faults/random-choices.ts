import { SECOND } from "../../domain/time.ts";
import { nextRandom, type RandomState } from "../../simulator/model/random.ts";
import type { Stall } from "../plan.ts";

/** Random choices from a seed. */
export class RandomChoices {
  private readonly random: RandomState;

  constructor(random: RandomState) {
    this.random = random;
  }

  /** At least 0 and below the limit. */
  upTo(limit: number): number {
    return nextRandom(this.random) * limit;
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.upTo(most - least + 1));
  }

  chance(probability: number): boolean {
    return nextRandom(this.random) < probability;
  }

  oneOf<Item>(list: readonly Item[]): Item {
    return list[Math.floor(this.upTo(list.length))] as Item;
  }

  weighted<Item>(list: ReadonlyArray<readonly [number, Item]>): Item {
    let left = this.upTo(list.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, item] of list) {
      left -= weight;
      if (left < 0) return item;
    }
    return (list.at(-1) as readonly [number, Item])[1];
  }

  /** At most `count` items of the list, in its order. */
  some<Item>(list: readonly Item[], count: number): Item[] {
    const left = [...list];
    while (left.length > count) left.splice(Math.floor(this.upTo(left.length)), 1);
    return left;
  }

  /** A pause of one of these lengths, in which the machine may sleep. */
  stall(seconds: readonly number[]): Stall {
    return { length: this.oneOf(seconds) * SECOND, asleep: this.chance(0.5) };
  }
}
