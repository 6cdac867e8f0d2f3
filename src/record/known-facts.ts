import type { FactType, FactValue, KindDefinition } from "../domain/entity.ts";
import type { EntityChange } from "./entry.ts";

/** Leaves out what this version has no word for, and says so once for each. */
export type KnownFacts = { readonly only: (changes: readonly EntityChange[]) => EntityChange[] };

/** As what a fact of each type is recorded. */
const JSON_TYPES: Readonly<Record<FactType, string>> = {
  string: "string",
  double: "number",
  bool: "boolean",
  timestamp: "number",
};

export function createKnownFacts(
  kinds: ReadonlyMap<string, KindDefinition>,
  complain: (problem: string) => void,
): KnownFacts {
  const told = new Set<string>();
  const tell = (problem: string): void => {
    if (!told.has(problem)) complain(problem);
    told.add(problem);
  };
  return {
    only: (changes) =>
      changes.flatMap((change): EntityChange[] => {
        const [kind, id, facts, ...rest] = change;
        const definition = kinds.get(kind);
        if (definition === undefined) {
          tell(`entities of the kind "${kind}" are left out: this version knows no such kind`);
          return [];
        }
        const problems = Object.entries(facts).flatMap(([name, value]) => {
          const problem = problemOf(definition, name, value);
          return problem === undefined ? [] : [[name, problem] as const];
        });
        if (problems.length === 0) return [change];
        for (const [, problem] of problems) tell(problem);
        const left = new Set(problems.map(([name]) => name));
        const kept = Object.fromEntries(Object.entries(facts).filter(([name]) => !left.has(name)));
        return [[kind, id, kept, ...rest]];
      }),
  };
}

function problemOf(
  { kind, facts }: KindDefinition,
  name: string,
  value: FactValue,
): string | undefined {
  const type = facts[name]?.type;
  if (type === undefined) {
    return `the fact ${kind}.${name} is left out: this version knows no such fact`;
  }
  if (typeof value === JSON_TYPES[type]) return undefined;
  return `the fact ${kind}.${name} is left out where it is a ${typeof value}: in this version it is a ${type}`;
}
