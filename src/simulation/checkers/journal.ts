import { isDeepStrictEqual } from "node:util";
import type { Alert } from "../../domain/alert.ts";
import { entityKey, type Entity } from "../../domain/entity.ts";
import { STATE_TABLES } from "../../domain/step.ts";
import { formatInstant } from "../../domain/time.ts";
import type { State, Unread } from "../../core/state.ts";
import { groupOf, mostEntities } from "../ledger/entity-bounds.ts";
import { DELETED, type Rows } from "../ledger/rows.ts";
import type { Restarted } from "../run-event.ts";
import { on } from "./checker.ts";

/**
 * A new process finds every row as it was last committed, and no other row; and a process has in memory exactly
 * the rows that it reported. If a commit was reported as failed, the row before it and the row after it are both right.
 */
export const committed = on(["restarted", "ended"], "4 what was committed", (event, { rows }) => {
  const when = event.type === "restarted" ? "after the start" : "in memory at the end";
  const isStart = event.type === "restarted";
  const leftOut = isStart ? leftOutRows(event, rows) : () => false;
  return differences(event.state, rows, isStart, leftOut)
    .slice(0, 5)
    .map((problem) => `${when} (${formatInstant(event.at)}): ${problem}`);
});

/** Takes the name of a row and its text. */
type IsLeftOut = (name: string, text: string) => boolean;

/** If a journal holds more entities than the limits allow, some are not read, nor are the rows that refer to them. */
function leftOutRows({ policy, state: { tables } }: Restarted, { texts }: Rows): IsLeftOut {
  const written = [...texts].flatMap(([name, text]) =>
    name.startsWith("entity ") && text !== DELETED ? [JSON.parse(text) as Entity] : [],
  );
  const full = new Set(
    [...Map.groupBy(written, groupOf)].flatMap(([group, those]) =>
      those.length > mostEntities(policy, (those[0] as Entity).aggregator) ? [group] : [],
    ),
  );
  return (name, text) => {
    if (full.size === 0) return false;
    const row = JSON.parse(text) as Entity & Pick<Alert, "entity">;
    if (name.startsWith("entity ")) return full.has(groupOf(row));
    const isAbout = name.startsWith("alert ") || name.startsWith("proposal ");
    return isAbout && !tables.entity.has(entityKey(row.entity));
  };
}

function differences(
  { tables }: State,
  { texts, unsure }: Rows,
  mayBeUnsure: boolean,
  isLeftOut: IsLeftOut,
): string[] {
  const found: string[] = [];
  const missing = new Map(texts);
  const allowed = (name: string, known: string): readonly string[] =>
    (mayBeUnsure ? unsure.get(name) : undefined) ?? [known];
  for (const table of STATE_TABLES) {
    for (const [key, value] of tables[table]) {
      const name = `${table} ${key}`;
      const text = JSON.stringify(value);
      const known = missing.get(name) ?? DELETED;
      missing.delete(name);
      const unread = table === "entity" ? tables.unread.get((value as Entity).surface) : undefined;
      const isSame = (written: string): boolean =>
        unread === undefined ? written === text : isUnread(written, text, unread);
      if (!allowed(name, known).some(isSame))
        found.push(`the row ${name} is ${text}, and was written as ${known}`);
    }
  }
  for (const [name, text] of missing) {
    if (!allowed(name, text).includes(DELETED) && !isLeftOut(name, text))
      found.push(`the row ${name} is lost, and was written as ${text}`);
  }
  return found;
}

/** If the row of an entity does not say since when it is unknown, the row of its unread surface does. */
function isUnread(written: string, text: string, { since }: Unread): boolean {
  if (written === DELETED) return false;
  const row = JSON.parse(written) as Entity;
  return isDeepStrictEqual({ ...row, unknownSince: row.unknownSince ?? since }, JSON.parse(text));
}

/**
 * A step with an effect other than a probe is safe from a loss of power before the effect leaves, and so is each step
 * of an event other than an observation. Observations are safe by the next tick.
 */
export const synced = on("step", "4 synced", ({ event, result, durable, unsynced }) => {
  if (!durable || unsynced !== true) return [];
  const left = result.effects.find(({ type }) => type !== "probe");
  if (left !== undefined) return [`an effect to ${left.type} could be lost with the power`];
  return event.type === "observed" ? [] : [`a ${event.type} event could be lost with the power`];
});

/** The instant at which an entity was first seen never moves while it exists, across all restarts. */
export const firstSeen = on("step", "7 first seen", ({ result }, { rows }) =>
  result.changes.flatMap(({ table, key, value }) => {
    const now = table === "entity" ? (value as Entity | undefined)?.firstSeen : undefined;
    const before = rows.firstSeen.get(key);
    if (now === undefined || before === undefined || now === before) return [];
    return [`${key} was first seen at ${formatInstant(before)}, and now at ${formatInstant(now)}`];
  }),
);

/** Stamps never go back, across all restarts: no age is negative, and no budget is spent twice. */
export const stamps = on("step", "8 stamps", ({ event, stampedAt }, { rows: { lastStamp } }) =>
  stampedAt >= lastStamp
    ? []
    : [
        `a ${event.type} event is stamped ${formatInstant(stampedAt)}, after one of ${formatInstant(lastStamp)}`,
      ],
);

/** An exception is a bug: a step never throws. */
export const noBugs = on("threw", "0 no bugs", ({ event, at, error }) => [
  `the step of a ${event} event threw at ${formatInstant(at)}: ${error}`,
]);
