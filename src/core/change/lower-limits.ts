import type { Entity } from "../../domain/entity.ts";
import { SELF_SURFACE } from "../../domain/observation.ts";
import { eachInSlices, type Slices } from "../../domain/slices.ts";
import type { Change, StateTable } from "../../domain/step.ts";
import type { Draft } from "../draft.ts";
import { forget, type Affected } from "../observe/entity-life.ts";
import { createRowCount, rowsToKeep } from "../restore-limits.ts";
import { noteRestored } from "../start.ts";
import type { State } from "../state.ts";

/** Leaves out the entities that lower limits do not allow, as a start under these does. */
export function* leaveOutBeyondLimits(draft: Draft, affected: Affected): Slices {
  const { state, policy } = draft;
  const isOver = createRowCount(policy);
  let hasTooMany = false;
  yield* eachInSlices(rowsOf(state, "entity"), (row) => {
    if (isOver(row)) hasTooMany = true;
  });
  if (!hasTooMany) return;
  const { stays, leftOut } = yield* rowsToKeep(policy, () => allRows(state));
  yield* eachInSlices([...rowsOf(state, "entity")], (row) => {
    if (!stays(row)) forget(draft, row.key, affected, "unwatched");
  });
  for (const [group, count] of leftOut) if (count > 0) state.leftOut.set(group, count);
  noteRestored(draft);
}

function* allRows(state: State): Generator<Change> {
  for (const table of Object.keys(state.tables) as StateTable[]) yield* rowsOf(state, table);
}

/** Without what the watching itself makes, such as its pollers: no aggregator decides how many those are. */
function* rowsOf({ tables }: State, table: StateTable): Generator<Change> {
  for (const [key, value] of tables[table]) {
    const isOwn = table === "entity" && (value as Entity).surface.endsWith(`/${SELF_SURFACE}`);
    if (!isOwn) yield { table, key, value };
  }
}
