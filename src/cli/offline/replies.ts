import { InvalidArgumentError } from "commander";
import { ENDPOINT_NAMES } from "../../aggregator/endpoints/index.ts";
import { hintFor } from "../../config/suggest.ts";
import { formatInstant } from "../../domain/time.ts";
import { systemClock } from "../../io/process/clock.ts";
import { listReplies, readReply } from "../../io/journal/read-replies.ts";
import type { KeptReply, ReplyFilter } from "../../io/journal/read-replies.ts";
import { EXIT, extraIn, flagsOf, refuse, type CliCommand, type CliContext } from "../context.ts";
import { spanOptions } from "./instant.ts";
import { dataDirectory } from "./journal-place.ts";
import { plain, table } from "../table.ts";

type RepliesOptions = {
  readonly config?: string;
  readonly data?: string;
  readonly aggregator?: string;
  readonly endpoint?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit?: number;
  readonly json?: true;
};

const HELP = `
The setting record.replies.keep says which are kept. This works while aggwatch
runs, too.
An instant is written 2026-01-31T12:00:00Z, or as a duration before now: 2h.
Control characters of a body are shown as \ufffd; --json gives every character.
`;

/** What is taken if one of them is to be shown. */
const OF_ONE = ["--config", "--data", "--json"];

/** `aggwatch replies`: the aggregator's replies as they were received. */
export const repliesCommand: CliCommand<RepliesOptions> = {
  name: "replies",
  describe: (command) =>
    command
      .description("Lists the replies that were kept as they came, or shows one of them.")
      .argument("[id]", "the reply to show")
      .option("--config <file>", "the config file, which says where the data directory is")
      .option("--data <directory>", "the data directory (default: the config's, or ./data)")
      .option("--aggregator <name>", "of this aggregator only")
      .option(
        "--endpoint <name>",
        "of this endpoint only, by its name in docs/aggregator.md",
        endpointOf,
      )
      .option("--since <when>", "received since then")
      .option("--until <when>", "received until then")
      .option("--limit <count>", "how many of the newest (default: 50)", countOf)
      .option("--json", "prints JSON")
      .addHelpText("after", HELP),
  run: (options, context, [id]) => Promise.resolve(replies(options, context, id)),
};

function replies(options: RepliesOptions, context: CliContext, id: string | undefined): number {
  const span = spanOptions(options, systemClock().now());
  if (!span.ok) return refuse(context, { line: span.problem });
  const extra = id && extraIn("replies ID", flagsOf(options), OF_ONE);
  if (extra !== undefined) return refuse(context, extra, EXIT.usage);
  if (id !== undefined && !/^\d{1,15}$/.test(id))
    return refuse(context, `${plain(id)} is not the id of a reply, which is a number`, EXIT.usage);
  const directory = dataDirectory(options, context);
  if (!directory.ok) return refuse(context, directory.problem);
  if (id !== undefined) return show(directory.value, id, options, context);
  const { aggregator, endpoint, limit = 50 } = options;
  return list(directory.value, { aggregator, endpoint, limit, ...span.value }, options, context);
}

function list(
  directory: string,
  filter: ReplyFilter,
  { json }: RepliesOptions,
  context: CliContext,
): number {
  const listed = listReplies(directory, filter);
  if (!listed.ok) return refuse(context, listed.problem);
  if (json === true) context.output(jsonText(listed.value.map(written)));
  else if (listed.value.length === 0) context.print("No kept reply matches.");
  else {
    const heads = ["id", "at", "aggregator", "endpoint", "arguments", "status", "length", "read"];
    context.print(table(heads, listed.value.map(cellsOf), context.width).join("\n"));
  }
  return EXIT.ok;
}

function cellsOf(reply: KeptReply): readonly string[] {
  const { id, at, aggregator, endpoint, args, status, failure, length } = reply;
  const cells = [String(id), formatInstant(at), aggregator, endpoint, args === "{}" ? "" : args];
  return [...cells, String(status), String(length), failure ?? "yes"].map((cell) =>
    plain(cell).replaceAll("\n", " "),
  );
}

function show(
  directory: string,
  id: string,
  { json }: RepliesOptions,
  context: CliContext,
): number {
  const reply = readReply(directory, Number(id));
  if (!reply.ok) return refuse(context, reply.problem);
  context.output(json === true ? jsonText(written(reply.value)) : plain(reply.value.body));
  return EXIT.ok;
}

/** As all JSON has instants. */
function written<Reply extends KeptReply>(reply: Reply) {
  return { ...reply, at: formatInstant(reply.at) };
}

function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** The name of a poller, such as `pools`, would find nothing. */
function endpointOf(text: string): string {
  if (ENDPOINT_NAMES.some((name) => name === text)) return text;
  throw new InvalidArgumentError(`There is no such endpoint; ${hintFor(text, ENDPOINT_NAMES)}`);
}

function countOf(text: string): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (count < 1) throw new InvalidArgumentError("It is a whole number from 1 to 999999.");
  return count;
}
