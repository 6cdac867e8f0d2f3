import type { FactType, FactValue, KindDefinition } from "../domain/entity.ts";
import type { EntityChange } from "./entry.ts";

/** The JSON type in which a fact of each type is recorded. */
const JSON_TYPES: Readonly<Record<FactType, string>> = {
  string: "string",
  double: "number",
  bool: "boolean",
  timestamp: "number",
};

/** Makes a function that leaves out what this version does not know, and reports each such thing once. */
export function createKnownFacts(
  kinds: ReadonlyMap<string, KindDefinition>,
  report: (problem: string) => void,
): (changes: readonly EntityChange[]) => EntityChange[] {
  const reported = new Set<string>();
  const reportOnce = (problem: string): void => {
    if (!reported.has(problem)) report(problem);
    reported.add(problem);
  };
  return (changes) =>
    changes.flatMap((change): EntityChange[] => {
      const [kind, id, facts, ...rest] = change;
      const definition = kinds.get(kind);
      if (definition === undefined) {
        reportOnce(`entities of the kind "${kind}" are left out: this version knows no such kind`);
        return [];
      }
      const known = Object.entries(facts).filter(([name, value]) => {
        const problem = problemOf(definition, name, value);
        if (problem !== undefined) reportOnce(problem);
        return problem === undefined;
      });
      if (known.length === Object.keys(facts).length) return [change];
      return [[kind, id, Object.fromEntries(known), ...rest]];
    });
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
  return `the fact ${kind}.${name} is left out if it is a ${typeof value}: in this version it is a ${type}`;
}
