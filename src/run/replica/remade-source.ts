import type { ServerSource } from "../../io/api/server-source.ts";

/** What a standby's service answers from the rows that it was made of. */
const REMADE = [
  "idle",
  "status",
  "overview",
  "view",
  "outbox",
  "coverage",
  "trial",
  "names",
  "now",
  "explain",
  "watched",
  "metrics",
  "backUp",
  "onError",
] as const satisfies ReadonlyArray<keyof ServerSource>;

type Remade = Pick<ServerSource, (typeof REMADE)[number]>;

/**
 * The source of an app that stays while what it shows is remade again and again: an app for each would forget who looks
 * and what it has kept. `same` is what does not depend on the rows.
 */
export function remadeSource(
  now: () => Remade,
  same: Omit<ServerSource, keyof Remade>,
): ServerSource {
  const remade = REMADE.map((name) => [
    name,
    (...asked: never[]) => (now()[name] as (...given: never[]) => unknown)(...asked),
  ]);
  return { ...same, ...(Object.fromEntries(remade) as Remade) };
}
