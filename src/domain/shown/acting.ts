import type { Mode } from "../action.ts";

/** What stops all or some actions. */
export type Stops = {
  readonly killed: readonly unknown[];
  readonly holds: ReadonlyArray<{ readonly scope: object }>;
};

/** In one word whether actions are sent, for page, console and command line; undefined if it is not known. */
export function actingWord(
  status: Stops & { readonly mode?: Mode | null | undefined },
): "stopped" | "held" | Mode | undefined {
  if (status.killed.length > 0) return "stopped";
  return status.holds.some(holdsAll) ? "held" : (status.mode ?? undefined);
}

/** A hold that nothing narrows stops as much as a kill switch. */
export function holdsAll({ scope }: Stops["holds"][number]): boolean {
  return Object.values(scope).every((part) => part === undefined || part === null);
}

/** The storms that are to be shown, as acting does not grow after one while nothing is sent. */
export function shownStorms<Storm extends { readonly ramp?: unknown }>(
  status: Stops & { readonly storms: readonly Storm[] },
): readonly Storm[] {
  const isStopped = status.killed.length > 0 || status.holds.some(holdsAll);
  return status.storms.filter(({ ramp }) => !isStopped || ramp === undefined || ramp === null);
}

/** Whose actions a storm or a ramp concerns. */
export function whoseOf({ rule, aggregator }: Scope): string {
  return rule === "*" ? "all rules" : `${rule} on ${aggregator}`;
}

type Scope = { readonly rule: string; readonly aggregator: string };
