import { createInspector } from "../../../src/simulation/checkers/index.ts";
import type { RunEvent, Step } from "../../../src/simulation/run-event.ts";

export type { Step };
import type { State } from "../../../src/core/state.ts";
import type { Entity } from "../../../src/domain/entity.ts";
import type { Policy } from "../../../src/domain/step.ts";
import { SECOND } from "../../../src/domain/time.ts";
import { exchange, repair, rule } from "../../core/fixtures.ts";
import { START, World, type WorldOptions } from "../../core/world.ts";

/** Changes what the checkers are shown; several in its place, or none, is fine. */
export type Tamper = (seen: RunEvent) => RunEvent | readonly RunEvent[];

/** A world whose run is shown to every checker, after what is shown was tampered with. */
export function inspected(
  tamper: Tamper = (seen) => seen,
  options: Partial<WorldOptions> = {},
): {
  readonly world: World;
  readonly violations: string[];
  readonly show: (seen: RunEvent) => void;
} {
  const inspect = createInspector();
  const violations: string[] = [];
  const show = (seen: RunEvent): void => {
    for (const { invariant, text } of inspect(seen)) violations.push(`${invariant}: ${text}`);
  };
  const world = new World({ rules: [repairing()], ...options });
  // This world has no file that could be damaged.
  const soundAt = (at: number): void => show({ type: "checked", at, isDamaged: false });
  world.witness = (seen) => {
    for (const one of [tamper(seen)].flat()) show(one);
    if (seen.type === "restarted") soundAt(seen.at);
  };
  soundAt(START);
  return { world: world.starts(), violations, show };
}

/** Enables an exchange as soon as it is seen to be disabled. */
export function repairing(change: Parameters<typeof repair>[0] = {}): ReturnType<typeof rule> {
  return rule({ act: repair({ cooldownMs: SECOND, ...change }) });
}

/** Seen to be enabled, then disabled, and repaired. */
export function repairs(world: World, name = "A"): World {
  const seen = (status: "enabled" | "disabled") => [
    exchange(name, status),
    exchange("Z", "enabled"),
  ];
  world.sees("exchanges", seen("enabled")).passes("2s");
  world.sees("exchanges", seen("disabled")).passes("1s");
  const made = [...world.state.tables.remediation.values()].at(-1);
  world.becomes("exchanges", seen("enabled"));
  if (made !== undefined) world.replies(made.id, "acknowledged");
  return world.passes("3s");
}

export function onStep(change: (step: Step) => RunEvent | readonly RunEvent[]): Tamper {
  return (seen) => (seen.type === "step" ? change(seen) : seen);
}

export const isActing = ({ result }: Step): boolean =>
  result.effects.some(({ type }) => type === "act");

export function withActing(policy: Policy, acting: Partial<Policy["acting"]>): Policy {
  return { ...policy, acting: { ...policy.acting, ...acting } };
}

/** The policy with another `act` in each of its rules. */
export function withAct(policy: Policy, change: object): Policy {
  const rules = [...policy.rules].map(([name, one]) => {
    return [name, { ...one, act: { ...one.act, ...change } }] as const;
  });
  return { ...policy, rules: new Map(rules as never) };
}

export function withTable(
  state: State,
  table: "alert" | "entity",
  rows: Map<string, unknown>,
): State {
  return { ...state, tables: { ...state.tables, [table]: rows } };
}

/** The entities, with other facts for those of a kind. */
export function withFacts(state: State, kind: string, facts: object): State {
  const rows = [...state.tables.entity].map(([key, row]): [string, Entity] => [
    key,
    row.kind === kind ? { ...row, facts: { ...row.facts, ...facts } } : row,
  ]);
  return withTable(state, "entity", new Map(rows));
}
