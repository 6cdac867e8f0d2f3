import { operatorCalls } from "../../io/api/operator-calls.ts";
import type { Result } from "../../domain/result.ts";
import { EXIT, type CliCommand } from "../context.ts";
import { commandAndPrint, writingOptions, type ClientOptions } from "./client.ts";
import { scopeOptions, overrideBodyOf, type ScopeOptions } from "./scope-options.ts";

/** The commands that change something, each by the call of the API of the same name. */

type OperatorOptions = ClientOptions & ScopeOptions & { readonly reason: string };

type OperatorCommand = {
  readonly description: string;
  /** The argument, with an example. */
  readonly argument?: readonly [name: string, description: string];
  /** It takes a scope and an end, by options. */
  readonly hasScope?: true;
  /** The key of the body that holds the argument; without one, it goes into the path. */
  readonly bodyKey?: string;
};

/** `aggwatch watch` makes these two, in watch.ts. */
type Name = Exclude<keyof typeof operatorCalls, "watch" | "unwatch">;

/** In the order in which `--help` lists them. */
const COMMANDS: Readonly<Record<Name, OperatorCommand>> = {
  hold: {
    description: "Stops actions on what it covers, not alerts, until it ends.",
    hasScope: true,
  },
  release: { description: "Ends a hold.", argument: ["<hold>", "its id, as h1"] },
  silence: {
    description: "Stops notifications of what it covers, not actions, until it ends.",
    hasScope: true,
  },
  unsilence: { description: "Ends a silence.", argument: ["<silence>", "its id, as s1"] },
  approve: {
    description: "Approves a proposal; every guard and the reading before are asked again.",
    argument: ["<proposal>", "its id, as p1"],
  },
  deny: {
    description: "Denies a proposal for as long as its alert lasts.",
    argument: ["<proposal>", "its id, as p1"],
  },
  kill: { description: "Stops all actions until unkill; alerts go on." },
  unkill: { description: "Releases the kill switch that kill has thrown." },
  unquarantine: {
    description: "Ends the quarantine of an entity.",
    argument: ["<entity>", "its whole key, as bsc/exchange/BINANCE"],
    bodyKey: "entity",
  },
};

export const operatorCommands: ReadonlyArray<CliCommand<OperatorOptions>> = Object.entries(
  COMMANDS,
).map(([name, command]) => commandOf(name as Name, command));

function commandOf(
  name: Name,
  { description, argument, hasScope, bodyKey }: OperatorCommand,
): CliCommand<OperatorOptions> {
  const bodyOf = (options: ScopeOptions, subject: string | undefined): Result<object, string> => {
    if (hasScope === true) return overrideBodyOf(options, subject);
    return { ok: true, value: bodyKey === undefined ? {} : { [bodyKey]: subject } };
  };
  return {
    name,
    describe: (command) => {
      const own = writingOptions(command).description(description);
      if (argument !== undefined) own.argument(...argument);
      return hasScope === true ? scopeOptions(own) : own;
    },
    run: async (options, context, [subject]) => {
      const body = bodyOf(options, subject);
      if (!body.ok) {
        context.complain(body.problem);
        return EXIT.usage;
      }
      const { reason } = options;
      const asked = { ...body.value, reason };
      return commandAndPrint(operatorCalls[name], subject ?? "", asked, options, context);
    },
  };
}
