import { emptyState, type State } from "../../core/state.ts";
import { valueAt } from "../../domain/values/plain-values.ts";
import type { Entity, FactDefinition } from "../../domain/entity.ts";
import type { Json } from "../../domain/result.ts";
import { readEndpoints, type ReadEndpoint } from "../../aggregator/endpoints/index.ts";
import { pollerOfKind } from "../../pollers/index.ts";
import type { MetricsSource } from "../metrics/definition.ts";
import { entityMetrics } from "../metrics/definitions/entities.ts";
import type { ProbeInput } from "./observe-once.ts";

/** A fact that some entities lack: what needs it, and which setting would give it. */
export type LackingFact = {
  readonly kind: string;
  readonly fact: string;
  /** How many entities were read. */
  readonly read: number;
  /** How many of them have the fact. */
  readonly given: number;
  readonly rules: readonly string[];
  readonly metrics: readonly string[];
  /** The field of the default shape that gives it; undefined if it follows from other facts. */
  readonly field: string | undefined;
  /** The words in that field that no setting knows. */
  readonly words: readonly string[];
  /** The settings that would give it. */
  readonly change: string;
};

type CoveredRule = { readonly rule: string; readonly kind: string; readonly read: number };

/** Facts that a rule needs and some entity lacks, and facts that no entity of their kind has. */
export function lackingFacts(
  { policy, aggregator, watch }: Pick<ProbeInput, "policy" | "aggregator" | "watch">,
  state: State,
  rules: readonly CoveredRule[],
): readonly LackingFact[] {
  return [...policy.kinds.values()].flatMap(({ kind, facts, derived }) => {
    if (derived === true || pollerOfKind(kind) === undefined) return [];
    const read = readOf(state, aggregator, kind);
    if (read.length === 0) return [];
    const metrics = metricsReading(kind);
    return Object.entries(facts).flatMap(([fact, definition]): LackingFact[] => {
      const given = read.filter((entity) => entity.facts[fact] !== undefined).length;
      if (given === read.length || definition.follows !== undefined) return [];
      const needing = rules.flatMap(({ rule }) => {
        const own = policy.rules.get(rule);
        const needs = own?.when.needs ?? own?.when.reads ?? [];
        return own?.kind === kind && needs.includes(fact) ? [rule] : [];
      });
      const words = wordsOf(read, fact, definition);
      // A word that no setting knows is shown even if no rule needs it.
      if (given > 0 && needing.length === 0 && words.length === 0) return [];
      return [
        {
          kind,
          fact,
          read: read.length,
          given,
          rules: needing,
          metrics: metrics.get(fact) ?? [],
          field: definition.field,
          words,
          change: changeFor({ kind, watch }, definition, words),
        },
      ];
    });
  });
}

function readOf(state: State, aggregator: string, kind: string): readonly Entity[] {
  return [...(state.entitiesByKind.get(kind) ?? [])].flatMap((key) => {
    const entity = state.tables.entity.get(key);
    const isRead = entity?.aggregator === aggregator && entity.unknownSince === undefined;
    return isRead && entity.facts["missing"] !== true ? [entity] : [];
  });
}

/** If a status word decides a flag, the field is there and only the word's meaning is missing. */
function wordsOf(
  read: readonly Entity[],
  fact: string,
  { type, field }: FactDefinition,
): readonly string[] {
  if (type !== "bool" || field !== "status") return [];
  const unknown = read.filter((entity) => entity.facts[fact] === undefined);
  return [...new Set(unknown.flatMap(({ facts }) => String(facts["status"] ?? [])))];
}

type Asked = Pick<ProbeInput, "watch"> & { readonly kind: string };

function changeFor(asked: Asked, definition: FactDefinition, words: readonly string[]): string {
  const { field, words: setting } = definition;
  if (words.length > 0 && setting !== undefined)
    return `${setting}: say what ${words.join(", ")} ${words.length === 1 ? "means" : "mean"}`;
  if (field === undefined) return "none: it follows from other facts";
  const maps = endpointsGiving(asked, field).map((endpoint) => `wire.${endpoint}.map`);
  const said = words.length > 0 ? `${words.join(", ")} instead of a known word` : "nothing";
  return `${maps.join(", ")}: ${field} says ${said} (docs/aggregator.md has the default shape)`;
}

/** The endpoints that the kind's poller asks and whose default shape has the field. */
function endpointsGiving({ kind, watch }: Asked, field: string): readonly ReadEndpoint[] {
  const planned = pollerOfKind(kind)?.plan(watch) ?? [];
  const asked = new Set(planned.flatMap(({ requests }) => requests.map((one) => one.endpoint)));
  return [...asked].filter((endpoint) => {
    const { example } = readEndpoints[endpoint].reply;
    const entry: Json = Array.isArray(example) ? (example[0] ?? null) : example;
    const path = field.split(".");
    return [path, ["order", ...path]].some((own) => valueAt(entry, own) !== undefined);
  });
}

/** The metrics that read each fact of a kind, found by running them on an entity that notes its reads. */
function metricsReading(kind: string): ReadonlyMap<string, readonly string[]> {
  const users = new Map<string, string[]>();
  for (const metric of entityMetrics) {
    if (metric.from !== "scrape" || metric.kinds?.includes(kind) !== true) continue;
    const note = (fact: string): void => {
      const known = users.get(fact) ?? [];
      if (!known.includes(metric.name)) users.set(fact, [...known, metric.name]);
    };
    Array.from(metric.read(sourceOf(kind, note)));
  }
  return users;
}

/** A state of one entity that notes which of its facts are read. */
function sourceOf(kind: string, note: (fact: string) => void): MetricsSource {
  const facts = new Proxy<Record<string, string>>(
    {},
    {
      get: (_facts, name) => {
        note(String(name));
        return undefined;
      },
    },
  );
  const state = emptyState();
  state.entitiesByKind.set(kind, new Set(["a"]));
  const entity = { aggregator: "a", kind, id: "a", surface: "", facts, firstSeen: 0, since: 0 };
  state.tables.entity.set("a", entity);
  // Metrics of entities read nothing but the state.
  return { state } as MetricsSource;
}
