import type { Command } from "../../../domain/command.ts";
import { readWrittenEntity, type EntityId } from "../../../domain/entity.ts";
import type { Scope } from "../../../domain/hold.ts";
import { fail, succeed, type Result } from "../../../domain/result.ts";
import type { Refusal } from "../past/kept.ts";
import type { KnownNames } from "../server-source.ts";
import { thereIsNo } from "./there-is-no.ts";

/** A misspelt name would find nothing, and an empty list would look as if all is well. */

/** The filters of a list that name something; `entity` begins with a kind, or with an aggregator. */
type NameFilters = Readonly<
  Partial<Record<"aggregator" | "kind" | "alertname" | "entity", string | undefined>>
>;

/** An item of a list: its rule, if it has one, and its entity. */
export type Named = {
  readonly rule?: string;
  readonly entity: Pick<EntityId, "aggregator" | "kind">;
};

/**
 * Refuses a query with a name that is neither known now nor in the list: a list of the past may have a rule that is
 * gone. Undefined if all names are known.
 */
export function refuseUnknown(
  filters: NameFilters,
  names: () => KnownNames,
  all: () => Iterable<Named>,
): Result<never, Refusal> | undefined {
  const { aggregator, kind, alertname, entity } = filters;
  if ([aggregator, kind, alertname, entity].every((one) => one === undefined)) return undefined;
  const known = names();
  const written = entity === undefined ? undefined : readWrittenEntity(entity, known);
  const asked: readonly Asked[] = [
    ["aggregator", "aggregator", aggregator],
    ["kind", "kind", kind],
    ["alertname", "rule", alertname],
    ["entity", "aggregator", written?.aggregator],
    ["entity", "kind", written?.kind],
  ];
  const problems = asked.flatMap(([filter, what, name]) => {
    if (name === undefined || known[what].includes(name)) return [];
    for (const { rule, entity: own } of all())
      if ((what === "rule" ? rule : own[what]) === name) return [];
    return [`${filter}: ${thereIsNo(what, name, known[what])}`];
  });
  return problems.length === 0 ? undefined : fail({ status: 400, problems });
}

/** A filter, the type of the name that is in it, and that name. */
type Asked = readonly [filter: keyof NameFilters, what: keyof KnownNames, name: string | undefined];

/**
 * A command as the one that carries it out understands it, which may know other names than the replica that was asked;
 * the problems name the wrong keys of the body.
 */
export function checkNames(
  command: Command,
  known: KnownNames,
): Result<Command, readonly string[]> {
  if (command.name === "hold" || command.name === "silence") {
    const problems = unknownNames(known, command.scope);
    return problems.length > 0 ? fail(problems) : succeed(command);
  }
  const isWatch = command.name === "watch" || command.name === "unwatch";
  const [only = "", ...more] = known.aggregator;
  // If there are several, the core refuses the command.
  const isLeftOut = isWatch && command.aggregator === "" && more.length === 0;
  return succeed(isLeftOut ? { ...command, aggregator: only } : command);
}

/**
 * The problems of unknown names: a hold with a misspelt name would stop no action, and its operator would not notice.
 */
function unknownNames(known: KnownNames, scope: Scope): string[] {
  return (["aggregator", "kind", "rule"] as const).flatMap((key) => {
    const value = scope[key];
    if (value === undefined || known[key].includes(value)) return [];
    return [`scope.${key}: ${thereIsNo(key, value, known[key])}`];
  });
}
