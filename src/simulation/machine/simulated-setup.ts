import { compileProfile, type WireProfile } from "../../aggregator/profile.ts";
import type { Rule, RuleAction } from "../../domain/rule.ts";
import { RECORD_BOUNDS } from "../../io/journal/retention.ts";
import { createLog, type Logger } from "../../io/process/log.ts";
import { createRedactor } from "../../io/redact/redactor.ts";
import type { AggregatorSetup, WatchdogSetup } from "../../run/setup.ts";
import { USUAL, type Deployment } from "../../simulator/deployment/deployment.ts";
import { profileFor } from "../../simulator/deployment/profile.ts";
import { THROUGH_THE_PROXY } from "./network.ts";
import { ACT_KEY, baseUrlOf, READ_KEY } from "./simulated-aggregator.ts";
import { NOTIFIES_THE_RECEIVER } from "./receiver.ts";
import type { Plan, RuleVariant, Member } from "../plan.ts";

/** Not a real file: the simulated world says whether it exists. */
const KILL_FILE = "KILL";

/** The setup of a simulated watchdog when it starts, or is reloaded. */
export function setupOf(
  { fleet, variants, shards = 0 }: Plan,
  variantIndex: number,
  rules: readonly Rule[],
): WatchdogSetup {
  const variant = variants[variantIndex] ?? variants[0];
  return {
    settings: {
      listen: { host: "127.0.0.1", port: 0 },
      stuckAfterMs: 0,
      journal: { postgres: undefined, shards },
      data: "",
      record: { ...RECORD_BOUNDS, replies: { keep: "none", maxBytes: 0 } },
      log: { level: "fatal", format: "json" },
      actions: { ...variant.acting, killFile: KILL_FILE },
      limits: variant.limits,
      maintenance: variant.maintenance,
      tracing: { otlp: {} },
      server: { hosts: [], trustedProxies: [], mcp: false, tokens: undefined },
    },
    aggregators: fleet.map(aggregatorSetup),
    rules: rulesOf(rules, variant.rules),
    notify: NOTIFIES_THE_RECEIVER,
    redactor: createRedactor([ACT_KEY.value, READ_KEY.value]),
    configHash: variantIndex,
    log: quietLog(),
    version: "0.0.0",
    nodeVersion: "v0.0.0",
  };
}

/** Logs nothing: bugs come as events of the run, all else as findings. */
export function quietLog(): Logger {
  return createLog({ level: "silent", format: "json" }, { isTerminal: false }, () => {});
}

function aggregatorSetup({ watched, deployment = USUAL }: Member): AggregatorSetup {
  return {
    ...watched,
    profile: profileOf(deployment),
    client: {
      ...watched.client,
      baseUrl: baseUrlOf(watched.name),
      route: THROUGH_THE_PROXY,
      auth: {
        read: { type: "header", name: READ_KEY.header, value: READ_KEY.value },
        act: { type: "header", name: ACT_KEY.header, value: ACT_KEY.value },
      },
    },
  };
}

const profiles = new WeakMap<Deployment, WireProfile>();

/** Compiled once for all setups of all runs. */
function profileOf(deployment: Deployment): WireProfile {
  const known = profiles.get(deployment);
  if (known !== undefined) return known;
  const { prefix: apiPrefix, instants } = deployment;
  const profile = compileProfile(profileFor(deployment).wire, { apiPrefix, instants });
  if (!profile.ok) throw new Error("the wire profile that fits the deployment does not compile");
  profiles.set(deployment, profile.value);
  return profile.value;
}

const varied = new WeakMap<RuleVariant, { readonly of: readonly Rule[]; readonly rules: Rule[] }>();

/** The same objects each time, so that anything derived from a rule is derived once. */
function rulesOf(rules: readonly Rule[], variant: RuleVariant): Rule[] {
  const known = varied.get(variant);
  if (known?.of === rules) return known.rules;
  const made = variedRules(rules, variant);
  varied.set(variant, { of: rules, rules: made });
  return made;
}

/** The rules with the changes of the variant; if there are any, all rules have other hashes. */
function variedRules(rules: readonly Rule[], variant: RuleVariant): Rule[] {
  const left = rules.filter(({ alert }) => variant.without?.includes(alert) !== true);
  const { without: _, ...change } = variant;
  if (Object.keys(change).length === 0) return left;
  const pace = variant.pace ?? 1;
  return left.map((rule) => ({
    ...rule,
    forMs: paced(rule.forMs, pace),
    keepFiringForMs: paced(rule.keepFiringForMs, pace),
    ...(rule.act === undefined ? {} : { act: actOf(rule.act, variant, pace) }),
    hash: `${rule.hash} ${JSON.stringify(change)}`,
  }));
}

function actOf(act: RuleAction, variant: RuleVariant, pace: number): RuleAction {
  return {
    ...act,
    mode: variant.mode ?? act.mode,
    cooldownMs: paced(act.cooldownMs, pace),
    verifyWithinMs: paced(act.verifyWithinMs, Math.max(pace, 0.25)),
    attempts: variant.attempts ?? act.attempts,
    budget: { max: variant.budgetMax ?? act.budget.max, perMs: paced(act.budget.perMs, pace) },
    storm: variant.storm ?? { ...act.storm, withinMs: paced(act.storm.withinMs, pace) },
    approvals: variant.approvals ?? act.approvals,
  };
}

function paced(length: number, pace: number): number {
  return Math.round(length * pace);
}
