import { readable } from "../../domain/shown/lookalike.ts";

/** Numbers and names as people read them. */

export function counted(count: number, what: string, plural = `${what}s`): string {
  return `${grouped(count)} ${count === 1 ? what : plural}`;
}

/** `10 000`: digits in groups that no one takes for a decimal point, on one line. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+(?!\d))/g, "\u202F");
}

export type EntityName = {
  readonly aggregator: string;
  readonly kind: string;
  readonly id: string;
};

/** The key of an entity, as the command line takes it. */
export function keyOf({ aggregator, kind, id }: EntityName): string {
  return `${aggregator}/${kind}/${id}`;
}

/** An entity by the name that people gave it, and otherwise by its id. */
export function nameOf(id: string, facts: Facts | undefined): string {
  return String(facts?.["name"] ?? facts?.["alias"] ?? id);
}

/** Facts as the API shows them; instants are ISO 8601 text. */
export type Facts = Readonly<Record<string, string | number | boolean>>;

/** An address or a hash in short; both ends, as people compare those. It is as long as it will be shown. */
export function shortened(whole: string, longest = 24): string {
  const text = readable(whole);
  if (text.length <= longest) return text;
  const half = Math.floor((longest - 1) / 2);
  return `${text.slice(0, half)}…${text.slice(-half)}`;
}
