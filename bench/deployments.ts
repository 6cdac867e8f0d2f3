import {
  DEPLOYMENT_NAMES,
  differencesOf,
  findDeployment,
  mixtureOf,
  type Deployment,
} from "../src/simulator/deployment/deployment.ts";
import { tryDeployment, UNEXPLAINED, type Outcome } from "./deployments/rounds.ts";
import { busyWorld, loadConfig, readWorld } from "./deployments/world-facts.ts";

/**
 * `npm run bench deployments [SEEDS]`: what the probe makes of deployments that it knows nothing of. It suggests, what
 * it suggests is applied, and what is then read is held against the usual world. Gives whether nothing was silent.
 */
export async function tryDeployments(
  [seeds = "200", from = "1"]: readonly string[],
  say: (line: string) => void,
): Promise<boolean> {
  const usual = await readWorld(loadConfig(UNEXPLAINED).setup, busyWorld());
  const named = DEPLOYMENT_NAMES.flatMap((name) => findDeployment(name) ?? []);
  const mixtures = Array.from({ length: Number(seeds) }, (_, at) => mixtureOf(Number(from) + at));
  const run = async (
    deployments: readonly Deployment[],
    { isShown = false, isPrefixGiven = false } = {},
  ): Promise<Outcome[]> => {
    const outcomes: Outcome[] = [];
    for (const deployment of deployments) {
      const given = isPrefixGiven ? { api_prefix: deployment.prefix } : {};
      const outcome = await tryDeployment(deployment, usual, given);
      outcomes.push(outcome);
      if (isShown || outcome.verdict === "silent")
        for (const line of tell(deployment, outcome)) say(line);
    }
    return outcomes;
  };
  const singles = await run(named, { isShown: true });
  const mixed = await run(mixtures);
  const whole = mixtures.filter(({ listings }) => listings !== "paged");
  const prefixed = await run(whole, { isPrefixGiven: true });
  say("");
  say(`with one difference: ${shares(singles)}`);
  say(`mixtures:            ${shares(mixed)}`);
  say(`without pages, and with api_prefix given by a person: ${shares(prefixed)}`);
  say("");
  say("what is left of those that are not right then, by how many lack it:");
  const lacks = Map.groupBy(
    prefixed.flatMap(({ verdict, left }) =>
      verdict === "right" ? [] : [...new Set(left.map(topic))],
    ),
    (line) => line,
  );
  const sorted = [...lacks].sort(([, one], [, other]) => other.length - one.length);
  for (const [line, own] of sorted.slice(0, 25)) say(`${String(own.length).padStart(4)}  ${line}`);
  return [...singles, ...mixed, ...prefixed].every(({ verdict }) => verdict !== "silent");
}

function tell(deployment: Deployment, { verdict, rounds, left, wrong }: Outcome): string[] {
  const what = `${deployment.name} (${differencesOf(deployment).join(", ")})`;
  const lines = verdict === "silent" ? wrong : verdict === "told" ? left : [];
  return [
    `${verdict} after ${rounds}: ${what}`,
    ...lines.slice(0, 6).map((line) => `        ${line.slice(0, 160)}`),
  ];
}

function shares(outcomes: readonly Outcome[]): string {
  const by = (verdict: Outcome["verdict"]): string => {
    const count = outcomes.filter((one) => one.verdict === verdict).length;
    return `${count} of ${outcomes.length} ${verdict} (${Math.round((100 * count) / outcomes.length)} %)`;
  };
  return [by("right"), by("told"), by("silent")].join(", ");
}

/** What a line is about, without what differs from one deployment to the next. */
function topic(line: string): string {
  return line
    .replace(/\$\[\d+\]/g, "$[…]")
    .replace(/, received .*/, "")
    .slice(0, 110);
}
