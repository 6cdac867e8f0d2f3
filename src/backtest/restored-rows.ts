import type { State } from "../core/state.ts";
import { STATE_TABLES, type Change, type StateTable } from "../domain/step.ts";
import type { Recorded } from "../record/rebuild.ts";

type InForce = Extract<Recorded, { type: "opened" }>["inForce"];
type Rows = ReadonlyArray<readonly [key: string, value: unknown]>;

/**
 * The rows with which a replay goes on at the begin of a chapter, in the order of the journal: table by table, by key.
 * What people had ordered is as the chapter says: the commands may have come before all that is replayed, or in a gap.
 * A kill switch by a failing journal or a bug, which it may name too, ends with the start that follows.
 */
export function* rowsOf({ tables }: State, inForce: InForce = {}): Generator<Change> {
  const { holds, silences, kills } = inForce;
  const ordered: Partial<Record<StateTable, Rows>> = {
    ...(holds && { hold: holds.map((hold) => [hold.id, hold]) }),
    ...(silences && { silence: silences.map((silence) => [silence.id, silence]) }),
    ...(kills && { kill: kills.map((kill) => [kill.source, kill]) }),
  };
  for (const table of STATE_TABLES) {
    const rows = ordered[table] ?? [...tables[table]];
    for (const [key, value] of rows.toSorted(([one], [other]) => (one < other ? -1 : 1)))
      yield { table, key, value };
  }
}
