import type { Readable } from "node:stream";
import type { ReadStream, WriteStream } from "node:tty";
import { fail, succeed, type Result } from "../../../domain/result.ts";
import { SECOND, type Millis } from "../../../domain/time.ts";
import { decodeAnswer, type Codec } from "../../../io/api/codec.ts";
import { alertsAnswer } from "../../../io/api/lists/alerts.ts";
import { pollersAnswer } from "../../../io/api/lists/pollers.ts";
import { operatorCalls } from "../../../io/api/operator-calls.ts";
import { doneAnswer } from "../../../io/api/operator-routes.ts";
import { overviewAnswer } from "../../../io/api/overview/overview.ts";
import { EXIT, type CliCommand, type CliContext } from "../../context.ts";
import { coloured } from "../../print/colours.ts";
import { plain } from "../../table.ts";
import { proposalLines } from "../approve.ts";
import { callDaemon, readingOptions, STRANGE_REPLY, TOKEN_FILE_OPTION } from "../client.ts";
import type { ClientOptions } from "../client.ts";
import { readKeys, type Keys } from "./keys.ts";
import { itemsOf, KEYS, screenOf, type Item, type Shown, type Size } from "./screen.ts";

const HELP = `
Keys: up and down (or k and j) choose; h holds the entity that is chosen, a approves the proposal that is chosen; both
ask for a reason, and Escape leaves everything as it is; r asks at once, q quits. It asks every two seconds.
`;

/** `aggwatch top`: what is wrong and what waits, live, with keys to hold and to approve. */
export const topCommand: CliCommand<ClientOptions> = {
  name: "top",
  describe: (command) =>
    readingOptions(command)
      .description("What a running daemon finds wrong, live, with keys to hold and to approve.")
      .option(...TOKEN_FILE_OPTION)
      .addHelpText("after", HELP),
  run: async (options, context) => {
    if (options.json === true) return await printOnce(options, context);
    const input = context.streams?.input as (Readable & Partial<ReadStream>) | undefined;
    if (!context.isTerminal || input?.isTTY !== true) {
      context.complain("top needs a terminal; `aggwatch status --watch` works in a pipe");
      return EXIT.usage;
    }
    const keys = readKeys(input, context.signal);
    // Its own screen, so that what was there before is there again after it.
    context.print("\u001B[?1049h\u001B[?25l");
    try {
      return await new Top(options, context, keys).run();
    } finally {
      keys.close();
      context.print("\u001B[?25h\u001B[?1049l");
    }
  },
};

const ASKED_EVERY: Millis = 2 * SECOND;
const MOST_ALERTS = 200;
/** To the upper left, and all below it cleared. */
const HOME = "\u001B[H\u001B[J";

class Top {
  private chosen = 0;
  private shown: Shown | undefined;
  private message = "";
  private readonly options: ClientOptions;
  private readonly context: CliContext;
  private readonly keys: Keys;

  constructor(options: ClientOptions, context: CliContext, keys: Keys) {
    this.options = options;
    this.context = context;
    this.keys = keys;
  }

  async run(): Promise<number> {
    let mustAsk = true;
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      if (mustAsk) await this.ask();
      this.draw(this.message === "" ? KEYS : this.message);
      // oxlint-disable-next-line no-await-in-loop -- the same
      const key = await this.keys.next(ASKED_EVERY);
      if (key === "q" || key === "end") return EXIT.ok;
      if (key !== undefined) this.message = "";
      mustAsk = key === undefined || key === "r" || key === "h" || key === "a";
      if (key === "up" || key === "k") this.chosen -= 1;
      if (key === "down" || key === "j") this.chosen += 1;
      // oxlint-disable-next-line no-await-in-loop -- the same
      if (key === "h") await this.hold();
      // oxlint-disable-next-line no-await-in-loop -- the same
      if (key === "a") await this.approve();
    }
  }

  private items(): readonly Item[] {
    return this.shown === undefined ? [] : itemsOf(this.shown);
  }

  private async ask(): Promise<void> {
    const asked = await askAll(this.options, this.context);
    if (asked.ok) this.shown = asked.value;
    else this.message = asked.problem;
  }

  private draw(foot: string, above?: readonly string[]): void {
    const { context } = this;
    const { width, height } = sizeOf(context);
    this.chosen = Math.max(0, Math.min(this.chosen, this.items().length - 1));
    const lines =
      this.shown === undefined
        ? [foot]
        : screenOf(this.shown, this.chosen, foot, { width, height: height - 1 });
    const all = above === undefined ? lines : [...above, "", foot].map(plain);
    const painted = context.isColoured === true ? all.map(coloured) : all;
    context.print(`${HOME}${painted.join("\n")}`);
  }

  /** What is typed, up to Enter; undefined after Escape. */
  private async line(question: string, above?: readonly string[]): Promise<string | undefined> {
    let text = "";
    for (;;) {
      this.draw(`${question}${text}`, above);
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const key = await this.keys.next(60 * SECOND);
      if (key === undefined) continue;
      if (key === "enter") return text.trim() === "" ? undefined : text.trim();
      if (key === "escape" || key === "end") return undefined;
      if (key === "backspace") text = text.slice(0, -1);
      else if (key.length === 1 && key >= " ") text += key;
    }
  }

  private async hold(): Promise<void> {
    const item = this.items()[this.chosen];
    if (item === undefined) return void (this.message = "nothing is chosen");
    const { aggregator, kind, id } = item.entity;
    const length = await this.line(`hold ${kind}/${id} of ${aggregator} for (as 30m): `);
    const reason = length === undefined ? undefined : await this.line("why: ");
    if (length === undefined || reason === undefined)
      return void (this.message = "nothing was held");
    const body = { scope: { aggregator, kind, id }, for: length, reason };
    this.message = await this.command("POST", operatorCalls.hold.path, body);
  }

  private async approve(): Promise<void> {
    const id = this.items()[this.chosen]?.proposal;
    const proposal = this.shown?.overview.proposals.find((one) => one.id === id);
    if (id === undefined || proposal === undefined)
      return void (this.message = "choose a proposal to approve");
    // What is shown here is what is approved, whatever takes its place meanwhile.
    const above = proposalLines(proposal);
    const reason = await this.line("approve this, as (why; Escape leaves it): ", above);
    const sure =
      reason === undefined ? undefined : await this.line("approve this? yes/no: ", above);
    if (reason === undefined || sure?.toLowerCase() !== "yes")
      return void (this.message = "nothing was approved");
    const path = operatorCalls.approve.path.replace("{id}", encodeURIComponent(id));
    this.message = await this.command("POST", path, { reason, digest: proposal.digest });
  }

  private async command(method: "POST", path: string, body: object): Promise<string> {
    const reply = await callDaemon({ method, path, body }, this.options, this.context);
    if (!reply.ok) return reply.problem;
    const done = decodeAnswer(doneAnswer, reply.value);
    return done === undefined ? STRANGE_REPLY : `done: ${done.detail}`;
  }
}

async function askAll(options: ClientOptions, context: CliContext): Promise<Result<Shown, string>> {
  const ask = async <Value, Json>(
    path: string,
    answer: Codec<Value, Json>,
  ): Promise<Result<Value, string>> => {
    const reply = await callDaemon({ method: "GET", path }, options, context);
    if (!reply.ok) return reply;
    const read = decodeAnswer(answer, reply.value);
    return read === undefined ? fail(STRANGE_REPLY) : succeed(read);
  };
  const [overview, firing, pending, pollers] = await Promise.all([
    ask("/api/v1/overview", overviewAnswer),
    ask(`/api/v1/alerts?state=firing&limit=${MOST_ALERTS}`, alertsAnswer),
    ask(`/api/v1/alerts?state=pending&limit=${MOST_ALERTS}`, alertsAnswer),
    ask("/api/v1/pollers?span=1h", pollersAnswer),
  ]);
  if (!overview.ok) return overview;
  if (!firing.ok) return firing;
  if (!pending.ok) return pending;
  if (!pollers.ok) return pollers;
  const alerts = {
    ...firing.value,
    rows: [...firing.value.rows, ...pending.value.rows],
    total: firing.value.total + pending.value.total,
  };
  return succeed({ overview: overview.value, alerts, pollers: pollers.value });
}

async function printOnce(options: ClientOptions, context: CliContext): Promise<number> {
  const reply = await callDaemon({ method: "GET", path: "/api/v1/overview" }, options, context);
  if (reply.ok) context.output(JSON.stringify(reply.value, undefined, 2));
  else context.complain(reply.problem);
  return reply.ok ? EXIT.ok : EXIT.problem;
}

function sizeOf({ width, streams }: CliContext): Size {
  const rows = (streams?.output as Partial<WriteStream> | undefined)?.rows;
  return { width: width ?? 80, height: rows ?? 24 };
}
