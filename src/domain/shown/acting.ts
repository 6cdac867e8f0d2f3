import type { Mode } from "../action.ts";

/** In one word whether actions are sent, for page, console and command line; undefined if it is not known. */
export function actingWord(status: {
  readonly killed: readonly unknown[];
  readonly holds: ReadonlyArray<{ readonly scope: object }>;
  readonly mode?: Mode | null | undefined;
}): "stopped" | "held" | Mode | undefined {
  if (status.killed.length > 0) return "stopped";
  return status.holds.some(holdsAll) ? "held" : (status.mode ?? undefined);
}

/** A hold that nothing narrows stops as much as a kill switch. */
export function holdsAll({ scope }: { readonly scope: object }): boolean {
  return Object.values(scope).every((part) => part === undefined || part === null);
}
