import type { State } from "../core/state.ts";
import { STATE_TABLES, type Change, type StateTable } from "../domain/step.ts";
import type { Recorded } from "../record/rebuild.ts";

type Opened = Pick<Extract<Recorded, { type: "opened" }>, "at" | "inForce">;
type Rows = ReadonlyArray<readonly [key: string, value: unknown]>;

/**
 * The rows with which a replay goes on at the begin of a chapter, in the order of the journal: table by table, by key.
 * What people had ordered is as the chapter says: the commands may have come before all that is replayed, or in a gap.
 * What had run out by then ends with the start that follows, as it did live, so the chapter does not have it; so does a
 * kill switch by a failing journal or a bug, which it may name.
 */
export function* rowsOf({ tables }: State, { at, inForce = {} }: Opened): Generator<Change> {
  const { holds, silences, kills } = inForce;
  const withRunOut = (table: "hold" | "silence", stand: ReadonlyArray<{ id: string }>): Rows => [
    ...[...tables[table]].filter(([, { until }]) => until <= at),
    ...stand.map((one) => [one.id, one] as const),
  ];
  const ordered: Partial<Record<StateTable, Rows>> = {
    ...(holds && { hold: withRunOut("hold", holds) }),
    ...(silences && { silence: withRunOut("silence", silences) }),
    ...(kills && { kill: kills.map((kill) => [kill.source, kill]) }),
  };
  for (const table of STATE_TABLES) {
    const rows = ordered[table] ?? [...tables[table]];
    for (const [key, value] of rows.toSorted(([one], [other]) => (one < other ? -1 : 1)))
      yield { table, key, value };
  }
}
