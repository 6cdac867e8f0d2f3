import { Argument } from "commander";
import { succeed, type Result } from "../../domain/result.ts";
import { meant } from "../../domain/shown/lookalike.ts";
import { formatInstant } from "../../domain/time.ts";
import { operatorCalls } from "../../io/api/operator-calls.ts";
import { thereIsNo } from "../../io/api/lists/there-is-no.ts";
import { MOST_SHOWN, watchAnswer, type WatchAnswer } from "../../io/api/lists/watch-lists.ts";
import { watchKinds } from "../../pollers/watch-kinds.ts";
import {
  EXIT,
  extraIn,
  flagsOf,
  missingIn,
  refuse,
  type CliCommand,
  type CliContext,
} from "../context.ts";
import { section, table } from "../table.ts";
import {
  askAndPrint,
  askDaemon,
  commandAndPrint,
  TOKEN_FILE_OPTION,
  watchingOptions,
  withQuery,
  type ClientOptions,
  type WatchOptions as WatchingOptions,
} from "./client.ts";
import { countFrom } from "./filters.ts";
import { onlyOne } from "./target.ts";

type WatchOptions = WatchingOptions & {
  readonly aggregator?: string;
  readonly alias?: string;
  readonly reason?: string;
  readonly limit?: string;
};

const CALLING = ["--url", "--json", "--watch", "--aggregator"];
const CHANGING = [...CALLING, "--reason", "--token-file"];

/** What each of them takes. */
const TAKES = {
  list: [...CALLING, "--limit"],
  add: [...CHANGING, "--alias"],
  remove: CHANGING,
} as const;

const HELP = `
  list [KIND] [TEXT]  what is watched, its origins, and the state of each source
  add KIND TARGET     puts an entry on the list; it stays there across restarts
  remove KIND TARGET  takes it off again, also by its alias; what a file lists
                      is removed in that file

  KIND is sender, liquidation, pool or order; TARGET an address, an order's id,
  FACTORY/PAIR, or spot/ID or futures/ID.
`;

/** `aggwatch watch list|add|remove`. */
export const watchCommand: CliCommand<WatchOptions> = {
  name: "watch",
  describe: (command) =>
    watchingOptions(command)
      .description("Shows and changes the watch lists of a running daemon.")
      .addArgument(new Argument("<what>", "what to do").choices(Object.keys(TAKES)))
      .argument("[kind]", "sender, liquidation, pool or order")
      .argument(
        "[target]",
        "an address, an order's id, or factory/pair; list: a part of one, or of an alias",
      )
      .option("--aggregator <name>", "on this aggregator; may be left out if there is only one")
      .option("--alias <name>", "add: what it is called in labels and messages")
      .option(
        "--limit <number>",
        "list: the most entries that are shown (default: 1000)",
        countFrom(0, MOST_SHOWN),
      )
      .option("--reason <text>", "add, remove: why; it is kept with your name")
      .option(...TOKEN_FILE_OPTION)
      .addHelpText("after", HELP),
  run: async (options, context, [given, kind, target]) => {
    const what = given as keyof typeof TAKES;
    const problem = extraIn(`watch ${what}`, flagsOf(options), TAKES[what]);
    if (problem !== undefined) return refuse(context, problem, EXIT.usage);
    if (what === "list") return await list(options, context, kind, target);
    return await change(what, options, context, kind, target);
  },
};

function list(
  { aggregator, limit = "1000", ...options }: WatchOptions,
  context: CliContext,
  first: string | undefined,
  second: string | undefined,
): Promise<number> {
  // One word that is not a kind is a part of a target, or of an alias.
  const isText = second === undefined && first !== undefined && !watchKinds.has(first);
  const asked = isText ? { text: first } : { kind: first, text: second };
  const path = withQuery("/api/v1/watch", { limit, ...asked, aggregator });
  return askAndPrint({ path }, watchAnswer, options, context, (answer, width) => {
    const isFound = !isText || answer.aggregators.some(({ total }) => total > 0);
    return [...linesOf(answer, width), ...(isFound ? [] : [neither(first)])];
  });
}

function neither(word: string): string {
  return `no target or alias has "${word}" in it, and ${thereIsNo("kind", word, [...watchKinds.keys()])}`;
}

async function change(
  what: "add" | "remove",
  options: WatchOptions,
  context: CliContext,
  kind: string | undefined,
  printed: string | undefined,
): Promise<number> {
  const { aggregator, alias, reason } = options;
  const missing = missingIn("watch", { KIND: kind, TARGET: printed, "--reason": reason });
  if (missing.length > 0) return refuse(context, { line: missing });
  const target = meant(printed ?? "");
  const listed =
    what === "add"
      ? succeed(target)
      : await listedAs(target, { kind, aggregator }, options, context);
  if (!listed.ok) return refuse(context, listed.problem);
  const call = operatorCalls[what === "add" ? "watch" : "unwatch"];
  const body = { aggregator, kind, target: listed.value, alias, reason };
  return commandAndPrint(call, "", body, options, context);
}

/** The target of the entry that people call so. */
async function listedAs(
  text: string,
  of: { readonly kind: string | undefined; readonly aggregator: string | undefined },
  options: ClientOptions,
  context: CliContext,
): Promise<Result<string, string>> {
  // It is asked for by a part, which may be one of many others too.
  const path = withQuery("/api/v1/watch", { ...of, text, limit: String(MOST_SHOWN) });
  const found = await askDaemon({ path }, watchAnswer, options, context);
  const entries = found.ok ? found.value.aggregators.flatMap((one) => one.entries) : [];
  if (entries.some(({ target }) => target === text)) return succeed(text);
  const named = entries.filter(({ alias }) => alias === text);
  return onlyOne(text, named, ({ target }) => target, context);
}

function linesOf({ aggregators }: WatchAnswer, width: number | undefined): string[] {
  return aggregators.flatMap(({ name, entries, total, sources, conflicts }) => [
    `${name}: ${total} watched${entries.length < total ? `, the first ${entries.length}` : ""}`,
    ...(entries.length === 0
      ? []
      : table(
          ["kind", "target", "alias", "listed by"],
          entries.map((one) => [one.kind, one.target, one.alias ?? "", one.origins.join(", ")]),
          width,
        )),
    ...section(
      ["list", "entries", "last read", "problem"],
      sources.map((one) => [
        one.name,
        String(one.entries),
        one.lastSuccess === undefined ? "not since the start" : formatInstant(one.lastSuccess),
        one.problem?.split("\n")[0] ?? "",
      ]),
      width,
    ),
    ...conflicts.map((conflict) => `conflict: ${conflict}`),
  ]);
}
