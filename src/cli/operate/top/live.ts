import type { CliContext } from "../../context.ts";
import type { ClientOptions } from "../client.ts";
import { askAll } from "./ask.ts";
import { isSame, itemsOf, type Item, type Shown } from "./screen.ts";

/** What the daemon said last, and what of it is chosen. */
export class Live {
  /** Undefined until it answered once. */
  shown: Shown | undefined;
  /** Why the last question has no answer, so that what is shown is old; empty if it has one. */
  failure = "";
  private index = 0;
  private asking: Promise<void> | undefined;
  private readonly options: ClientOptions;
  private readonly context: CliContext;

  constructor(options: ClientOptions, context: CliContext) {
    this.options = options;
    this.context = context;
  }

  /** Until the question that is under way has an answer; undefined if there is none. */
  get underWay(): Promise<void> | undefined {
    return this.asking;
  }

  /** Asks the daemon, unless it is being asked. */
  ask(): void {
    this.asking ??= this.refresh().finally(() => {
      this.asking = undefined;
    });
  }

  items(): readonly Item[] {
    return this.shown === undefined ? [] : itemsOf(this.shown);
  }

  get chosen(): number {
    return Math.max(0, Math.min(this.index, this.items().length - 1));
  }

  /** Chooses so many items further down; up, if it is negative; infinite for the last or the first. */
  move(by: number): void {
    this.index = Math.max(0, Math.min(this.chosen + by, this.items().length - 1));
  }

  private async refresh(): Promise<void> {
    const asked = await askAll(this.options, this.context);
    const chosen = this.items()[this.chosen];
    if (asked.ok) this.shown = asked.value;
    this.failure = asked.ok ? "" : asked.problem;
    // What is chosen stays so, wherever it is now.
    const now = this.items().findIndex((one) => chosen !== undefined && isSame(one, chosen));
    if (now !== -1) this.index = now;
  }
}
