import { sendersUnits } from "../../domain/lease.ts";
import { SECOND, type Millis } from "../../domain/time.ts";
import type { Presence, UnitsReading } from "../../io/postgres/presence.ts";
import type { ClockSources } from "../../io/process/clock.ts";
import { settleWithin } from "../../io/process/settle-within.ts";
import { messageOf } from "../../domain/error-message.ts";
import type { Logger } from "../../io/process/log.ts";
import type { RunningUnit } from "../replica/run-unit.ts";
import { assign } from "./balance.ts";
import { createLeftUnits } from "./left-units.ts";

/** The units of senders that this replica owns, or is about to. */
export type Units<Unit = RunningUnit> = {
  readonly running: () => readonly Unit[];
  /** The names of all units. */
  readonly names: readonly string[];
  /** Those that no replica owned when that was last looked at. */
  readonly unowned: () => readonly string[];
  /** Gives all of them back, so that the others can take them at once. Never rejects. */
  readonly stop: () => Promise<void>;
};

type UnitsWorld<Unit = RunningUnit> = {
  readonly owner: string;
  readonly shards: number;
  readonly leaseMs: Millis;
  readonly clocks?: ClockSources;
  readonly presence: Presence;
  readonly start: (unit: string) => Unit;
  /** Called about once a second with those that run here, and those that no replica owns. */
  readonly onTurn: (running: readonly Unit[], unowned: readonly string[]) => Promise<void>;
  readonly log: Logger;
};

type Stoppable = Pick<RunningUnit, "stop" | "hung">;

/** For people. */
export function unownedLine(unit: string): string {
  return `${unit}: no replica owns it, so its senders are not polled`;
}

/** How often a replica reports that it lives, and looks which units are its own. */
const TURN_EVERY: Millis = SECOND / 2;
/** What hangs is not waited for: the lease alone decides who owns a unit, whatever an old reading of them says. */
const TURN_LASTS: Millis = 30 * SECOND;

/** Takes and gives up units so that each replica that lives has its part of them. */
export function startUnits<Unit extends Stoppable>(world: UnitsWorld<Unit>): Units<Unit> {
  const { presence, log, onTurn } = world;
  const names = sendersUnits(world.shards);
  const running = new Map<string, Unit>();
  const endings = createEndings(running);
  const left = createLeftUnits(world);
  let unowned: readonly string[] = [];
  let isStopping = false;
  let turning: Promise<unknown> | undefined;

  function apply({ live, owners, left: leftBy }: UnitsReading): void {
    const assigned = assign(names, owners, live, leftBy);
    let isStarting = false;
    unowned = names.filter((unit) => !owners.has(unit));
    for (const unit of names) {
      const isOurs = assigned.get(unit) === world.owner;
      const own = running.get(unit);
      if (!isOurs && own !== undefined) endings.begin(unit, own, left.logWhy);
      // One at a time: a large one takes seconds to begin, and others that start take their part in between.
      else if (isOurs && own === undefined && !owners.has(unit) && !isStarting) {
        running.set(unit, world.start(unit));
        isStarting = true;
      }
    }
  }

  async function turn(): Promise<void> {
    try {
      const reading = await presence.beat(left.look(running));
      if (isStopping) return;
      apply(reading);
      await onTurn([...running.values()], unowned);
    } catch (error) {
      log.debug({ detail: messageOf(error) }, "the units cannot be looked at");
    }
  }

  const look = (): void => {
    turning ??= settleWithin([turn()], TURN_LASTS).then(() => (turning = undefined));
  };
  const timer = setInterval(look, TURN_EVERY);
  look();
  const stop = async (): Promise<void> => {
    isStopping = true;
    clearInterval(timer);
    await turning;
    await presence.end();
    for (const [unit, own] of running) endings.begin(unit, own);
    await endings.all();
  };
  return { names, running: () => [...running.values()], unowned: () => unowned, stop };
}

/** Ends what runs, each once; it no longer runs when it has ended. */
function createEndings(running: Map<string, Stoppable>) {
  const ending = new Map<string, Promise<void>>();
  return {
    begin: (unit: string, own: Stoppable, before?: (unit: string) => void): void => {
      if (ending.has(unit)) return;
      before?.(unit);
      const ended = own.stop().finally(() => {
        running.delete(unit);
        ending.delete(unit);
      });
      ending.set(unit, ended);
    },
    all: async (): Promise<unknown> => await Promise.all(ending.values()),
  };
}
