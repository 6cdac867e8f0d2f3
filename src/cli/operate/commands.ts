import { operatorCalls, type OperatorCall } from "../../io/api/operator-calls.ts";
import { succeed, type Result } from "../../domain/result.ts";
import { EXIT, isComplete, refuse, type CliCommand, type CliContext } from "../context.ts";
import { commandAndPrint, writingOptions, type ClientOptions } from "./client.ts";
import { keyOf, targetOf } from "./target.ts";
import { scopeOptions, overrideBodyOf, type ScopeOptions } from "./scope-options.ts";

/** The commands that change something, each from the call of the API of the same name. */

type OperatorOptions = ClientOptions & ScopeOptions & { readonly reason?: string };

/** `aggwatch watch` makes two of these, in watch.ts; who approves is shown what, in approve.ts. */
const { watch: _watch, unwatch: _unwatch, approve: _approve, ...calls } = operatorCalls;

export const operatorCommands: ReadonlyArray<CliCommand<OperatorOptions>> = Object.entries(
  calls,
).map(([name, call]) => commandOf(name, call));

function commandOf(name: string, call: OperatorCall): CliCommand<OperatorOptions> {
  const { summary, argument, hasScope = false } = call;
  return {
    name,
    describe: (command) => {
      const own = writingOptions(command).description(summary);
      if (argument !== undefined) own.argument(`<${argument.name}>`, argument.means);
      return hasScope ? scopeOptions(own) : own;
    },
    run: async (options, context, [subject]) => {
      if (!isComplete(name, { "--reason": options.reason }, context)) return EXIT.usage;
      const key = argument?.bodyKey;
      const target = await targetFor(call, subject, options, context);
      if (!target.ok) return refuse(context, target.problem);
      const body = hasScope
        ? overrideBodyOf(options, target.value)
        : succeed(key === undefined ? {} : { [key]: target.value });
      if (!body.ok) return refuse(context, body.problem, EXIT.usage);
      const asked = { ...body.value, reason: options.reason };
      return commandAndPrint(call, subject ?? "", asked, options, context);
    },
  };
}

/** What people call an entity means its id, wherever a call is about one. */
async function targetFor(
  { argument, hasScope }: OperatorCall,
  subject: string | undefined,
  options: OperatorOptions,
  context: CliContext,
): Promise<Result<string | undefined, string>> {
  if (subject === undefined) return succeed(subject);
  if (hasScope === true) return await targetOf(subject, options.aggregator, options, context);
  return argument?.bodyKey === "entity" ? await keyOf(subject, options, context) : succeed(subject);
}
