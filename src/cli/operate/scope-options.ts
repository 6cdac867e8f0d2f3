import { Option, type Command } from "commander";
import { meantAll } from "../../domain/shown/lookalike.ts";
import type { Target } from "./entity-name.ts";

/** The options that holds and silences have in common: what they cover, and when they end. */
export type ScopeOptions = {
  readonly rule?: string;
  readonly alertname?: string;
  readonly aggregator?: string;
  readonly everything?: true;
  readonly for?: string;
  readonly until?: string;
};

/** Lists of alerts call a rule by this name. */
const ALERTNAME = new Option("--alertname <name>", "the same as --rule").hideHelp();

export function scopeOptions(command: Command): Command {
  return command
    .argument(
      "[entity]",
      "a kind, or an entity as alerts print it, or kind/id, such as exchange/BINANCE; an alias stands for the id; with all that belongs to it",
    )
    .option("--rule <name>", "under this rule only")
    .addOption(ALERTNAME)
    .option("--aggregator <name>", "on this aggregator only")
    .option("--everything", "of everything; needed if no other scope is given")
    .option("--for <duration>", "how long, such as 30m or 2h; at most 30d")
    .option("--until <instant>", "until when, such as 2026-01-31T12:00:00Z");
}

/** The scope and the end, as the body of the call has them. */
export function overrideBodyOf(
  { alertname, rule = alertname, aggregator, for: length, until }: ScopeOptions,
  target: Target | undefined,
): object {
  return { scope: { ...meantAll({ aggregator, rule }), ...target }, for: length, until };
}

/** What is wrong with the line, which is known before anything is sent. */
export function scopeProblems(options: ScopeOptions, entity: string | undefined): string[] {
  const { alertname, rule = alertname, aggregator, everything, for: length, until } = options;
  const isEmpty = [entity, rule, aggregator].every((part) => part === undefined);
  const problems: string[] = [];
  if (isEmpty && everything !== true)
    problems.push("say what it covers: an entity, --rule, --aggregator, or --everything");
  if (!isEmpty && everything === true)
    problems.push("--everything cannot be combined with anything else that says what it covers");
  if (length === undefined && until === undefined) problems.push("give --for or --until");
  if (length !== undefined && until !== undefined)
    problems.push("--for and --until exclude each other");
  return problems;
}
