import { SECOND, type Millis } from "../../domain/time.ts";
import type { JournalRecord } from "../../io/journal/journal.ts";
import { between, chance, type RandomState } from "../../simulator/model/random.ts";
import type { Machine } from "../machine/machines.ts";
import type { VirtualTime } from "../machine/virtual-time.ts";
import type { DatabaseFaults } from "../plan.ts";

/** The process that asks a database, and its machine. */
export type Connected = {
  readonly machine: Machine;
  readonly isAlive: () => boolean;
  /** Its name as an owner of leases. */
  readonly owner: string;
  /** A record is written, and not acknowledged yet. */
  readonly onWritten: (record: JournalRecord) => void;
};

type Question<Value> = {
  /** What the database does, at one instant. */
  readonly carryOut: () => Value;
  readonly isCommit?: boolean;
  /** How long it takes until it answers. */
  readonly takes?: Millis;
  /** The answer if it is unknown whether the question was carried out. */
  readonly unanswered: (detail: string) => Value;
  /** The answer if it surely was not carried out; `unanswered` by default. */
  readonly refused?: (detail: string) => Value;
};

/** Carries a question to the database and its answer back, with the faults of each way. */
export type Ask = <Value>(question: Question<Value>) => Promise<Value>;

/** A good network, and an idle database. */
const USUAL_DELAY = { least: 1, most: 4 };
/** The time-out of a question; it was perhaps carried out. */
const GIVEN_UP_AFTER: Millis = 5 * SECOND;
const LATEST: Millis = 10 * SECOND;
const BROKEN = "the connection broke";

export function createAsk(
  { machine, isAlive }: Connected,
  world: {
    readonly time: VirtualTime;
    readonly random: RandomState;
    readonly faults: () => DatabaseFaults;
    readonly isCut: () => boolean;
    /** How often a copy has taken the place of the database: its connections break then. */
    readonly places: () => number;
  },
): Ask {
  const { time, random, isCut, places } = world;
  const later = (delay: Millis, run: () => void) => time.at(time.now() + delay, run);
  const happens = (what: "requestLost" | "replyLost" | "late"): boolean =>
    chance(random, world.faults()[what] ?? 0);
  const leg = (): Millis => {
    const { least, most } = world.faults().delay ?? USUAL_DELAY;
    return Math.round(between(random, least, most));
  };
  return async ({ carryOut, isCommit, takes = 0, unanswered, refused = unanswered }) =>
    await new Promise((resolve) => {
      // A dead process asks and hears nothing.
      if (!isAlive()) return;
      const { hangs, commitsHang } = world.faults();
      const never = isCommit === true ? (commitsHang ?? hangs) : hangs;
      if (never !== undefined && chance(random, never)) return;
      const placesThen = places();
      const isBroken = (): boolean => places() !== placesThen;
      let isOver = false;
      const answer = (given: Parameters<typeof resolve>[0]): void =>
        machine.run(() => {
          if (isOver || !isAlive()) return;
          isOver = true;
          timeOut.ended = true;
          // A machine that wakes reads its answers, but not that of a commit if a copy has replaced the database since.
          resolve(isCommit === true && isBroken() ? unanswered(BROKEN) : given);
        });
      const timeOut = later(GIVEN_UP_AFTER + takes, () => answer(unanswered("timed out")));
      if (isCut() && chance(random, 0.5)) return void later(1, () => answer(refused("no route")));
      if (isCut() || happens("requestLost")) return;
      // The question arrives late: the connection broke, and a pooler still had it.
      const isLate = happens("late");
      if (isLate) later(leg() * 2, () => answer(unanswered(BROKEN)));
      later(isLate ? Math.round(between(random, 10, LATEST)) : leg(), () => {
        if (isBroken()) return answer(unanswered(BROKEN));
        const given = carryOut();
        if (isLate || isCut() || happens("replyLost")) return;
        later(leg() + takes, () => {
          if (!isCut()) answer(isBroken() ? unanswered(BROKEN) : given);
        });
      });
    });
}
