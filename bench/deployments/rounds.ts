import { isDeepStrictEqual } from "node:util";
import { stringify } from "yaml";
import { isRight, probe, type ProbeReport } from "../../src/io/probe/probe.ts";
import { configText } from "../../src/io/probe/write-config.ts";
import { pollers, pollersByName } from "../../src/pollers/index.ts";
import type { Deployment } from "../../src/simulator/deployment/deployment.ts";
import {
  BASE_URL,
  busyWorld,
  clientOf,
  loadConfig,
  readWorld,
  type WorldFacts,
} from "./world-facts.ts";

/** What becomes of a deployment without a profile: probe, apply what it suggests, probe again. */

export const MOST_ROUNDS = 2;

export type Outcome = {
  /**
   * `right`: all facts of all entities are those of the usual world. `told`: they are not, and the probe says so.
   * `silent`: they are not, and the probe says that all is right, which must never be.
   */
  readonly verdict: "right" | "told" | "silent";
  /** How many times something was applied. */
  readonly rounds: number;
  /** What the last probe says is left, a line for each. */
  readonly left: readonly string[];
  /** Entities with other facts than the usual, or none. */
  readonly wrong: readonly string[];
};

export const UNEXPLAINED = stringify({ aggregators: [{ name: "here", base_url: BASE_URL }] });

/** `given` is what a person has set beforehand. */
export async function tryDeployment(
  deployment: Deployment,
  usual: WorldFacts,
  given: { readonly api_prefix?: string } = {},
): Promise<Outcome> {
  let config = stringify({ aggregators: [{ name: "here", base_url: BASE_URL, ...given }] });
  let report = await probeWith(config, deployment);
  let rounds = 0;
  for (; rounds < MOST_ROUNDS; rounds += 1) {
    const next = applied(config, report);
    if (next === config) break;
    config = next;
    report = await probeWith(config, deployment);
  }
  const read = await readWorld(loadConfig(config).setup, busyWorld(deployment));
  const wrong = differing(deployment, usual, read);
  const saysRight = isRight(report) && report.facts.length === 0;
  const verdict = wrong.length === 0 ? "right" : saysRight ? "silent" : "told";
  return { verdict, rounds, left: leftOf(report), wrong };
}

async function probeWith(config: string, deployment: Deployment): Promise<ProbeReport> {
  const { setup, profileAt, policy } = loadConfig(config);
  const client = clientOf(setup, busyWorld(deployment));
  const input = {
    pollers: setup.pollers.flatMap(({ name }) => pollersByName.get(name) ?? []),
    watch: setup.watch,
    statuses: setup.statuses,
    aggregator: setup.name,
    policy,
  };
  const world = {
    client,
    profile: setup.profile,
    profileAt,
    clock: { now: () => Date.now() },
    signal: new AbortController().signal,
  };
  const report = await probe(input, world);
  client.close();
  return report;
}

/** The config that `probe --write` writes. */
function applied(config: string, { settings }: ProbeReport): string {
  if (settings.length === 0) return config;
  const aggregators = [{ name: "here", baseUrl: BASE_URL, settings }];
  const text = configText({ text: config, aggregators });
  if (!text.ok) throw new Error(text.problem);
  return text.value;
}

function leftOf({ pollers: probed, rules, facts }: ProbeReport): string[] {
  return [
    ...probed.flatMap(({ name, ok, problem = "" }) => (ok ? [] : [`${name}: ${problem}`])),
    ...rules.flatMap(({ rule, verdict, why }) => (verdict === "blind" ? [`${rule}: ${why}`] : [])),
    ...facts.map(({ kind, fact, change }) => `${kind}.${fact}: ${change}`),
  ];
}

/** Entities whose facts are not those of the usual world, as far as the deployment can say them. */
export function differing(deployment: Deployment, usual: WorldFacts, read: WorldFacts): string[] {
  const keys = new Set([...usual.entities.keys(), ...read.entities.keys()]);
  return [...keys].filter((key) => {
    const facts = usual.entities.get(key);
    const wanted = facts && sayable(deployment, key, facts);
    return !isDeepStrictEqual({ ...read.entities.get(key) }, { ...wanted });
  });
}

/** The facts as a deployment can say them: seconds have no milliseconds. */
export function sayable({ instants }: Deployment, key: string, facts: object): object {
  if (instants !== "seconds") return facts;
  const [kind] = key.split(" ");
  const definition = pollers.flatMap(({ kinds }) => kinds).find((one) => one.kind === kind);
  const entries = Object.entries(facts).map(([name, value]) =>
    definition?.facts[name]?.type === "timestamp"
      ? [name, Math.floor(Number(value) / 1_000) * 1_000]
      : [name, value],
  );
  return Object.fromEntries(entries) as object;
}
