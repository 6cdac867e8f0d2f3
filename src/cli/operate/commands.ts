import { overrideOptions } from "../../io/api/operator-bodies.ts";
import { operatorCalls, type OperatorCall } from "../../io/api/operator-calls.ts";
import { COVERS_NOTHING } from "../../domain/hold.ts";
import { succeed, type Result } from "../../domain/result.ts";
import { missingIn, refuse, type CliCommand, type CliContext, type Refusal } from "../context.ts";
import { commandAndPrint, writingOptions, type ClientOptions } from "./client.ts";
import { meantBy } from "./did-you-mean.ts";
import type { Target } from "./entity-name.ts";
import { keyOf, targetOf } from "./target.ts";
import { overrideBodyOf, scopeOptions, scopeProblems, type ScopeOptions } from "./scope-options.ts";

/** The commands that change something, each from the call of the API of the same name. */

type OperatorOptions = ClientOptions & ScopeOptions & { readonly reason?: string };

/** `aggwatch watch` makes two of these, in watch.ts; who approves is shown what, in approve.ts. */
const { watch: _watch, unwatch: _unwatch, approve: _approve, ...calls } = operatorCalls;

export const operatorCommands: ReadonlyArray<CliCommand<OperatorOptions>> = Object.entries(
  calls,
).map(([name, call]) => commandOf(name, call));

function commandOf(name: string, call: OperatorCall): CliCommand<OperatorOptions> {
  const { summary, argument, hasScope } = call;
  return {
    name,
    describe: (command) => {
      const own = writingOptions(command).description(summary);
      if (argument !== undefined) own.argument(`<${argument.name}>`, argument.means);
      return hasScope === true ? scopeOptions(own) : own;
    },
    run: async (options, context, [subject]) => {
      const missing = missingIn(name, { "--reason": options.reason });
      const wrong = [
        ...missing,
        ...(hasScope === true ? scopeProblems(options, subject) : []),
        // That a reason is missing is said once.
        ...optionProblems(missing.length === 0 ? options : { ...options, reason: "?" }),
      ];
      if (wrong.length > 0) return refuse(context, { line: wrong });
      const body = await bodyOf(call, subject, options, context);
      if (!body.ok) return refuse(context, body.problem);
      const { target, ...rest } = body.value;
      const asked = { ...rest, reason: options.reason };
      return commandAndPrint(call, subject ?? "", asked, options, context, async (detail) => {
        const { id, ...named } = target ?? {};
        if (id === undefined || !detail.includes(COVERS_NOTHING)) return [];
        const meant = await meantBy({ ...named, id }, options.aggregator, options, context);
        return meant === undefined ? [] : [`did you mean "${meant}"?`];
      });
    },
  };
}

/** The values that the daemon would refuse, by the names of the options rather than by the keys of the body. */
function optionProblems({ reason, for: length, until }: OperatorOptions): readonly string[] {
  const read = overrideOptions.safeParse({ reason, for: length, until });
  return (read.error?.issues ?? []).map(({ path, message }) => `--${path.join(".")}: ${message}`);
}

type Body = { readonly target?: Target | undefined; readonly [key: string]: unknown };

/**
 * All of the body but the reason, and the target of its scope. What people call an entity means its id, wherever a call
 * is about one.
 */
async function bodyOf(
  { argument, hasScope }: OperatorCall,
  subject: string | undefined,
  options: OperatorOptions,
  context: CliContext,
): Promise<Result<Body, string | Refusal>> {
  if (hasScope === true) {
    const target =
      subject === undefined
        ? succeed(subject)
        : await targetOf(subject, options.aggregator, options, context);
    if (!target.ok) return target;
    return succeed({ ...overrideBodyOf(options, target.value), target: target.value });
  }
  const key = argument?.bodyKey;
  if (key === undefined || subject === undefined) return succeed({});
  const entity = await keyOf(subject, options, context);
  return entity.ok ? succeed({ [key]: entity.value }) : entity;
}
