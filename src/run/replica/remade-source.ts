import type { ServerSource } from "../../io/api/server-source.ts";

/** What a standby's service answers from the rows that it was made of. */
type Remade = Pick<
  ServerSource,
  | "idle"
  | "status"
  | "overview"
  | "view"
  | "outbox"
  | "coverage"
  | "trial"
  | "names"
  | "now"
  | "explain"
  | "watched"
  | "metrics"
  | "backUp"
  | "onError"
>;

/**
 * The source of an app that stays while what it shows is remade again and again: an app for each would forget who looks
 * and what it has kept. `same` is what does not depend on the rows.
 */
export function remadeSource(
  now: () => ServerSource,
  same: Omit<ServerSource, keyof Remade>,
): ServerSource {
  const remade: Remade = {
    idle: () => now().idle(),
    status: () => now().status(),
    overview: () => now().overview(),
    view: () => now().view(),
    outbox: () => now().outbox(),
    coverage: (aggregator) => now().coverage(aggregator),
    trial: (rule) => now().trial(rule),
    names: () => now().names(),
    now: () => now().now(),
    explain: (...asked) => now().explain(...asked),
    watched: () => now().watched(),
    metrics: (format) => now().metrics(format),
    backUp: (by) => now().backUp(by),
    onError: (...error) => now().onError(...error),
  };
  return { ...same, ...remade };
}
