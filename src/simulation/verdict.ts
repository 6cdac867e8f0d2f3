import { formatDuration, HOUR } from "../domain/time.ts";
import type { Summary } from "./summary.ts";

/** The verdict of a campaign on the rules, in sentences; the first one sums it up. */
export function simulationVerdict(
  summary: Summary,
  rules: readonly string[],
): readonly [string, ...string[]] {
  return [
    sumOf(summary),
    ...silentOf(summary, rules),
    ...flapsOf(summary),
    ...actionsOf(summary),
    ...peopleOf(summary),
  ];
}

function sumOf({ runs, simulatedMs, violations }: Summary): string {
  const within = `${runs === 1 ? "the run" : `${runs} runs`} (${formatDuration(simulatedMs)} of simulated time)`;
  return violations.length === 0
    ? `Held: no invariant was violated in ${within}.`
    : `Broken: an invariant was violated in ${violations.length} of ${within}.`;
}

/** With more names, it would not read as a sentence. */
const MOST_NAMED = 8;

function silentOf({ tally }: Summary, rules: readonly string[]): readonly string[] {
  const silent = rules.filter((rule) => (tally.alerts[rule] ?? 0) === 0);
  if (rules.length === 0) return [];
  if (silent.length === 0) return [`Every one of ${rules.length} rules fired at least once.`];
  const named = silent.slice(0, MOST_NAMED).join(", ");
  const more = silent.length > MOST_NAMED ? ` and ${silent.length - MOST_NAMED} more` : "";
  return [
    `${silent.length} of ${rules.length} rules never fired: ${named}${more}. What they look for did not happen here, or nothing that they need is watched.`,
  ];
}

/** Fewer alerts say nothing about a rule. */
const LEAST_ALERTS = 4;

function flapsOf({ tally }: Summary): readonly string[] {
  const flapping = Object.entries(tally.flaps).filter(([rule, flaps]) => {
    const alerts = tally.alerts[rule] ?? 0;
    return alerts >= LEAST_ALERTS && flaps * 4 >= alerts;
  });
  return flapping.map(
    ([rule, flaps]) =>
      `${rule} flaps: ${flaps} of ${tally.alerts[rule] ?? 0} alerts fired again within a quarter of an hour. \`keep_firing_for\` would make one of them.`,
  );
}

function actionsOf({ tally }: Summary): readonly string[] {
  const names = [...new Set(Object.keys(tally.actions).map((key) => key.split(" ")[0] ?? key))];
  const [guard] = Object.entries(tally.guards).toSorted(([, one], [, other]) => other - one);
  const most = guard === undefined ? "" : ` Guards objected most by ${guard[0]} (${guard[1]}).`;
  if (names.length === 0) return [`Nothing was sent.${most}`];
  const said = names.map((name) => {
    const requested = tally.actions[`${name} requested`] ?? 0;
    return `${name} worked ${tally.actions[`${name} verified`] ?? 0} of ${requested} times`;
  });
  return [`${said.join(", ")}.${most}`];
}

function peopleOf({ tally, simulatedMs, worstDetection }: Summary): readonly string[] {
  const rate = (tally.messages * HOUR) / Math.max(1, simulatedMs);
  return [
    `People got ${rate.toFixed(1)} messages an hour, while everything was going wrong on purpose.`,
    ...(worstDetection === undefined
      ? []
      : [
          `The slowest alert was ${worstDetection.rule}, ${formatDuration(worstDetection.delayMs)} after ${worstDetection.entity} went bad (seed ${worstDetection.seed}).`,
        ]),
  ];
}
