import type { Readable } from "node:stream";
import type { ReadStream } from "node:tty";
import { parseDuration, SECOND, type Millis } from "../../../domain/time.ts";
import { doneAnswer, operatorCalls, type OperatorCall } from "../../../io/api/operator-calls.ts";
import { overviewAnswer } from "../../../io/api/overview/overview.ts";
import { EXIT, refuse, type CliCommand, type CliContext } from "../../context.ts";
import { coloured } from "../../print/colours.ts";
import { plain } from "../../table.ts";
import { notApproved, proposalLines } from "../approve.ts";
import { forTerminal, HOME } from "../../print/for-terminal.ts";
import { askAndPrint, askDaemon, callOf, readingOptions, TOKEN_FILE_OPTION } from "../client.ts";
import type { ClientOptions } from "../client.ts";
import { askAll, OVERVIEW } from "./ask.ts";
import { readKeys, type Keys } from "./keys.ts";
import { footOf, isSame, itemsOf, screenOf, sizeOf } from "./screen.ts";
import type { Item, Shown, Size } from "./screen.ts";

const HELP = `
Keys:
  up, down, k, j  choose
  h               holds the entity that is chosen; asks for how long, and why
  s               silences it; asks the same
  a               approves the proposal that is chosen; shows all of it first
  d               denies it; shows all of it first
  r               refreshes at once, and not only every two seconds
  ?               shows this
  q, Ctrl-C       quits
  Escape          cancels a question, and changes nothing
`;

/** `aggwatch top`: what is wrong and what waits, live, with keys to hold, silence, approve and deny. */
export const topCommand: CliCommand<ClientOptions> = {
  name: "top",
  describe: (command) =>
    readingOptions(command)
      .description(
        "What a running daemon finds wrong, live, with keys to hold, silence, approve and deny.",
      )
      .option(...TOKEN_FILE_OPTION)
      .addHelpText("after", HELP),
  run: async (options, context) => {
    if (options.json === true)
      return await askAndPrint({ path: OVERVIEW }, overviewAnswer, options, context, () => []);
    const input = context.streams?.input as (Readable & Partial<ReadStream>) | undefined;
    if (!context.isTerminal || input?.isTTY !== true) {
      const problem = "top needs a terminal; `aggwatch status --watch` works in a pipe";
      return refuse(context, problem, EXIT.usage);
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

type Proposal = Shown["overview"]["proposals"][number];

const MORE = "Enter shows more, Escape cancels";
/** The blank line between a text and the foot, and the line after the last. */
const AROUND = 2;

const ASKED_EVERY: Millis = 2 * SECOND;

class Top {
  private chosen = 0;
  private asking: Promise<void> | undefined;
  private shown: Shown | undefined;
  private message = "";
  private failure = "";
  private readonly options: ClientOptions;
  private readonly context: CliContext;
  private readonly keys: Keys;
  /** What each of these keys does. */
  private readonly asked: Readonly<Record<string, () => Promise<void>>> = {
    "?": () => this.help(),
    h: () => this.override("hold", "held"),
    s: () => this.override("silence", "silenced"),
    a: () => this.approve(),
    d: () => this.deny(),
  };

  constructor(options: ClientOptions, context: CliContext, keys: Keys) {
    this.options = options;
    this.context = context;
    this.keys = keys;
  }

  async run(): Promise<number> {
    let mustAsk = true;
    for (;;) {
      // A daemon that is slow to answer is no reason to be slow to quit.
      if (mustAsk)
        this.asking ??= this.ask().finally(() => {
          this.asking = undefined;
        });
      const { asking } = this;
      this.draw(footOf(this.message, this.failure));
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const key = await this.keys.next(ASKED_EVERY, asking);
      if (key === "q" || key === "end") return EXIT.ok;
      if (key !== undefined) this.message = "";
      mustAsk = key === undefined ? asking === undefined : "rhsad".includes(key);
      if (key === "up" || key === "k") this.chosen -= 1;
      if (key === "down" || key === "j") this.chosen += 1;
      // oxlint-disable-next-line no-await-in-loop -- the same
      if (key !== undefined) await this.asked[key]?.();
    }
  }

  private items(): readonly Item[] {
    return this.shown === undefined ? [] : itemsOf(this.shown);
  }

  private async ask(): Promise<void> {
    const asked = await askAll(this.options, this.context);
    const chosen = this.items()[this.chosen];
    if (asked.ok) this.shown = asked.value;
    this.failure = asked.ok ? "" : asked.problem;
    // What is chosen stays so, wherever it is now.
    const now = this.items().findIndex((one) => chosen !== undefined && isSame(one, chosen));
    if (now !== -1) this.chosen = now;
  }

  private draw(foot: string, above?: readonly string[]): void {
    const { context } = this;
    const { width, height } = sizeOf(context);
    this.chosen = Math.max(0, Math.min(this.chosen, this.items().length - 1));
    const feet = linesOf(foot.split("\n"), width);
    const lines =
      this.shown === undefined
        ? feet
        : screenOf(this.shown, this.chosen, feet, { width, height: height - 1 });
    const room = Math.max(0, height - feet.length - AROUND);
    const last = above === undefined ? [] : linesOf(above, width);
    const all =
      above === undefined ? lines : [...last.slice(Math.max(0, last.length - room)), "", ...feet];
    const painted = context.isColoured === true ? all.map(coloured) : all;
    context.print(`${HOME}${painted.join("\n")}`);
  }

  /** What is typed, up to Enter; undefined after Escape. */
  private async line(question: string, above?: readonly string[]): Promise<string | undefined> {
    let text = "";
    for (;;) {
      this.draw(`${question}${text}_`, above);
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const key = await this.keys.next(60 * SECOND);
      if (key === undefined) continue;
      if (key === "enter") return text.trim() === "" ? undefined : text.trim();
      if (key === "escape" || key === "end") return undefined;
      if (key === "backspace") text = text.slice(0, -1);
      else if (key.length === 1 && key >= " ") text += key;
    }
  }

  private async help(): Promise<void> {
    do this.draw("any key goes back", HELP.trim().split("\n"));
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    while ((await this.keys.next(60 * SECOND)) === undefined);
  }

  private async override(verb: "hold" | "silence", done: string): Promise<void> {
    const item = this.items()[this.chosen];
    if (item === undefined) return void (this.message = "nothing is chosen");
    const { aggregator, kind, id } = item.entity;
    const length = await this.line(`${verb} ${kind}/${id} of ${aggregator} for (e.g. 30m): `);
    if (length !== undefined && parseDuration(length) === undefined)
      return void (this.message = `${length} is not a duration such as 30m or 2h: nothing was ${done}`);
    const reason = length === undefined ? undefined : await this.line("why: ");
    if (length === undefined || reason === undefined)
      return void (this.message = `nothing was ${done}`);
    const body = { scope: { aggregator, kind, id }, for: length, reason };
    this.message = await this.command(operatorCalls[verb], "", body);
  }

  /** Asks why, after all of this was shown: a screen at a time, if it is longer than one. */
  private async why(question: string, above: readonly string[]): Promise<string | undefined> {
    for (const page of pagesOf(above, question, sizeOf(this.context))) {
      let key: string | undefined;
      while (key !== "enter") {
        this.draw(MORE, page);
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        key = await this.keys.next(60 * SECOND);
        if (key === "escape" || key === "end") return undefined;
      }
    }
    return await this.line(question, above);
  }

  private proposal(): Proposal | undefined {
    const id = this.items()[this.chosen]?.proposal;
    return this.shown?.overview.proposals.find((one) => one.id === id);
  }

  private async approve(): Promise<void> {
    const proposal = this.proposal();
    if (proposal === undefined) return void (this.message = "choose a proposal to approve");
    // What is shown here is what is approved, whatever takes its place meanwhile.
    const above = proposalLines(proposal);
    const reason = await this.why("approve this; why? (Escape cancels): ", above);
    const sure =
      reason === undefined ? undefined : await this.line("approve this? yes/no: ", above);
    if (reason === undefined || sure?.toLowerCase() !== "yes")
      return void (this.message = notApproved(sure));
    const body = { reason, digest: proposal.digest };
    this.message = await this.command(operatorCalls.approve, proposal.id, body);
  }

  private async deny(): Promise<void> {
    const proposal = this.proposal();
    if (proposal === undefined) return void (this.message = "choose a proposal to deny");
    const question = "deny this; why? (Escape cancels): ";
    const reason = await this.why(question, proposalLines(proposal));
    if (reason === undefined) return void (this.message = "nothing was denied");
    this.message = await this.command(operatorCalls.deny, proposal.id, { reason });
  }

  private async command(call: OperatorCall, subject: string, body: object): Promise<string> {
    const asked = callOf(call, subject, body);
    const done = await askDaemon(asked, doneAnswer, this.options, this.context);
    return done.ok ? `done: ${done.value.detail}` : done.problem;
  }
}

/** The screens of a text that does not fit above the question; none if it fits. */
function pagesOf(
  above: readonly string[],
  question: string,
  { width, height }: Size,
): ReadonlyArray<readonly string[]> {
  const lines = linesOf(above, width);
  const roomAbove = (foot: string): number => height - linesOf([foot], width).length - AROUND;
  if (lines.length <= roomAbove(`${question}_`)) return [];
  const room = Math.max(1, roomAbove(MORE));
  return Array.from({ length: Math.ceil(lines.length / room) }, (_, page) =>
    lines.slice(page * room, (page + 1) * room),
  );
}

function linesOf(texts: readonly string[], width: number): readonly string[] {
  return texts.flatMap((text) => forTerminal(plain(text), width));
}
