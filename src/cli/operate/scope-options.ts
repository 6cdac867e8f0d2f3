import type { Command } from "commander";
import type { Scope } from "../../domain/hold.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";

/** The options that holds and silences have in common: what they cover, and when they end. */
export type ScopeOptions = {
  readonly rule?: string;
  readonly aggregator?: string;
  readonly everything?: true;
  readonly for?: string;
  readonly until?: string;
};

export function scopeOptions(command: Command): Command {
  return command
    .argument("[entity]", "a kind, or kind/id, as exchange/BINANCE; with all that belongs to it")
    .option("--rule <name>", "under this rule only")
    .option("--aggregator <name>", "on this aggregator only")
    .option("--everything", "all there is; needed where nothing else is said")
    .option("--for <duration>", "how long, as 30m or 2h; at most 30d")
    .option("--until <instant>", "until when, as 2026-01-31T12:00:00Z");
}

function scopeOf(entity: string | undefined, options: ScopeOptions): Result<Scope, string> {
  const { rule, aggregator, everything } = options;
  const cut = entity?.indexOf("/") ?? -1;
  const kind = cut === -1 ? entity : entity?.slice(0, cut);
  const scope: Scope = {
    ...(aggregator === undefined ? {} : { aggregator }),
    ...(kind === undefined ? {} : { kind }),
    ...(entity === undefined || cut === -1 ? {} : { id: entity.slice(cut + 1) }),
    ...(rule === undefined ? {} : { rule }),
  };
  const isEmpty = Object.keys(scope).length === 0;
  if (isEmpty && everything !== true) {
    return fail("say what it covers: kind/id, --rule, --aggregator, or --everything");
  }
  if (!isEmpty && everything === true) {
    return fail("--everything covers all there is; leave it out, or the rest");
  }
  return succeed(scope);
}

/** The scope and the end as the body of the call has them; a problem is one of the command line. */
export function overrideBodyOf(
  options: ScopeOptions,
  entity: string | undefined,
): Result<object, string> {
  const scope = scopeOf(entity, options);
  if (!scope.ok) return scope;
  const { until } = options;
  return succeed({
    scope: scope.value,
    ...(options.for === undefined ? {} : { for: options.for }),
    ...(until === undefined ? {} : { until }),
  });
}
