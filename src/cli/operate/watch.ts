import { Argument } from "commander";
import { formatInstant } from "../../domain/time.ts";
import { operatorCalls, type OperatorCall } from "../../io/api/operator-calls.ts";
import { watchAnswer, type WatchAnswer } from "../../io/api/watch-lists.ts";
import { EXIT, type CliCommand, type CliContext } from "../context.ts";
import { table } from "../table.ts";
import {
  askAndPrint,
  commandAndPrint,
  isComplete,
  readingOptions,
  TOKEN_FILE_OPTION,
  withQuery,
  type ClientOptions,
} from "./client.ts";

type WatchOptions = ClientOptions & {
  readonly aggregator?: string;
  readonly alias?: string;
  readonly reason?: string;
  readonly limit?: string;
};

const WHATS = ["list", "add", "remove"] as const;

const HELP = `
  list [KIND]          what is watched, its origins, and the state of each source
  add KIND TARGET      puts an entry on the list; it stays there over restarts
  remove KIND TARGET   takes it off again; what a file lists is removed in that file

  KIND is sender, liquidation, pool or order; TARGET an address, an order's id, FACTORY/PAIR,
  or spot/ID or futures/ID.
`;

/** `aggwatch watch list|add|remove`. */
export const watchCommand: CliCommand<WatchOptions> = {
  name: "watch",
  describe: (command) =>
    readingOptions(command)
      .description("Shows and changes the watch lists of a running daemon.")
      .addArgument(new Argument("<what>", "what to do").choices(WHATS))
      .argument("[kind]", "sender, liquidation, pool or order")
      .argument("[target]", "an address, an order's id, or factory/pair")
      .option("--aggregator <name>", "on this aggregator; may be left out if there is only one")
      .option("--alias <name>", "add: what it is called in labels and messages")
      .option("--limit <number>", "list: the most entries that are shown", "1000")
      .option("--reason <text>", "add, remove: why; it is kept with your name")
      .option(...TOKEN_FILE_OPTION)
      .addHelpText("after", HELP),
  run: (options, context, [what, kind, target]) =>
    what === "list"
      ? list(options, context, kind)
      : change(operatorCalls[what === "add" ? "watch" : "unwatch"], options, context, kind, target),
};

function list(
  { aggregator, limit = "", ...options }: WatchOptions,
  context: CliContext,
  kind: string | undefined,
): Promise<number> {
  const path = withQuery("/api/v1/watch", { limit, kind, aggregator });
  return askAndPrint({ method: "GET", path }, watchAnswer, options, context, linesOf);
}

async function change(
  call: OperatorCall,
  options: WatchOptions,
  context: CliContext,
  kind: string | undefined,
  target: string | undefined,
): Promise<number> {
  const { aggregator, alias, reason } = options;
  const needed = { KIND: kind, TARGET: target, "--reason": reason };
  if (!isComplete("watch", needed, context)) return EXIT.usage;
  const entry = { aggregator, kind, target, reason };
  const body = call === operatorCalls.unwatch ? entry : { ...entry, alias };
  return commandAndPrint(call, "", body, options, context);
}

function linesOf({ aggregators }: WatchAnswer): string[] {
  return aggregators.flatMap(({ name, entries, total, sources, conflicts }) => [
    `${name}: ${total} watched${entries.length < total ? `, the first ${entries.length}` : ""}`,
    ...(entries.length === 0
      ? []
      : table(
          ["kind", "target", "alias", "listed by"],
          entries.map((one) => [one.kind, one.target, one.alias ?? "", one.origins.join(", ")]),
        )),
    ...(sources.length === 0
      ? []
      : [
          "",
          ...table(
            ["list", "entries", "last read", "problem"],
            sources.map((one) => [
              one.name,
              String(one.entries),
              one.lastSuccess === undefined
                ? "not since the start"
                : formatInstant(one.lastSuccess),
              one.problem?.split("\n")[0] ?? "",
            ]),
          ),
        ]),
    ...conflicts.map((conflict) => `conflict: ${conflict}`),
  ]);
}
