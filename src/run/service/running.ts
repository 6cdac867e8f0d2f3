import type { LoopGuard } from "../../io/process/loop-guard.ts";
import type { Loop } from "../loop.ts";
import type { Sources } from "../setup.ts";

/** The live daemon: real time, real sockets, a real disk. Only here do all floors meet. */
export type Watchdog = {
  readonly url: string;
  /** Of a replica, only while it owns the journal: throws otherwise. */
  readonly loop: () => Loop;
  /** Resolves if the watchdog cannot go on: a bug in the core that comes again and again, or a `RefusedStart`. */
  readonly broken: Promise<unknown>;
  /** Ends within five seconds; nothing that was decided is lost. Calling it twice is fine. */
  readonly stop: () => Promise<void>;
};

export type WatchdogOptions = {
  /** With them, rules and settings are read again while it runs. */
  readonly sources?: Sources;
  /** Ends the process if the loop stands still. */
  readonly guard?: LoopGuard | undefined;
  /** Aborted while it starts, the start fails. */
  readonly signal?: AbortSignal;
};

/** Not a bug: the database, when it answered at last, gave a reason that only a person can remove. */
export class RefusedStart extends Error {}
