import type { FactDefinition, Facts, FactValue } from "../../domain/entity.ts";
import { LONGEST_FACT, reasonError } from "./meter.ts";

/** Reads a fact as CEL sees it, or throws the reason why it cannot be read. */
type ReadFact = (facts: Facts) => FactValue | Date;

/**
 * The reader of a kind's facts. The function that reads a fact, and its errors, are made once, when the fact is first
 * read, so that unknown facts are cheap.
 */
export function factReader(
  definitions: Readonly<Record<string, FactDefinition>>,
  windows: ReadonlySet<string>,
): (name: string, facts: Facts) => FactValue | Date {
  const readers = new Map<string, ReadFact>();
  const readerOf = (name: string): ReadFact => {
    const definition = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
    if (definition === undefined) throw new Error(`"${name}" is not a fact of the kind`);
    const made = oneFactReader(name, definition, windows);
    readers.set(name, made);
    return made;
  };
  return (name, facts) => (readers.get(name) ?? readerOf(name))(facts);
}

function oneFactReader(
  name: string,
  { type }: FactDefinition,
  windows: ReadonlySet<string>,
): ReadFact {
  const missing = reasonError(notKnown(name, windows));
  const wrong = reasonError(`the fact "${name}" is not a ${type}`);
  const tooLong = reasonError(`the fact "${name}" is longer than ${LONGEST_FACT} characters`);
  const isNumber = type === "double" || type === "timestamp";
  const wanted = isNumber ? "number" : type === "bool" ? "boolean" : "string";
  return (facts) => {
    const value = Object.hasOwn(facts, name) ? facts[name] : undefined;
    if (value === undefined) throw missing;
    if (typeof value !== wanted || Number.isNaN(value)) throw wrong;
    if (typeof value === "string" && value.length > LONGEST_FACT) throw tooLong;
    return type === "timestamp" && typeof value === "number" ? new Date(value) : value;
  };
}

function notKnown(name: string, windows: ReadonlySet<string>): string {
  if (!windows.has(name)) return `the fact "${name}" is not known`;
  return `the windowed fact "${name}" is not known: its window is not covered, or too much of it was lost`;
}
