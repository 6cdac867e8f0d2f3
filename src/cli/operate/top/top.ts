import type { Readable } from "node:stream";
import type { ReadStream } from "node:tty";
import { parseDuration } from "../../../domain/time.ts";
import { doneAnswer, operatorCalls, type OperatorCall } from "../../../io/api/operator-calls.ts";
import { overviewAnswer } from "../../../io/api/overview/overview.ts";
import { EXIT, refuse, type CliCommand, type CliContext } from "../../context.ts";
import { notApproved, proposalLines } from "../approve.ts";
import {
  askAndPrint,
  askDaemon,
  callOf,
  OVERVIEW,
  readingOptions,
  TOKEN_FILE_OPTION,
} from "../client.ts";
import type { ClientOptions } from "../client.ts";
import { Dialog } from "./dialog.ts";
import { readKeys, type Key, type Keys } from "./keys.ts";
import { Live } from "./live.ts";
import { footOf, sizeOf } from "./screen.ts";
import type { Shown, Size } from "./screen.ts";

const HELP = `
Keys:
  up, down, k, j  choose
  Page Up, Page Down, Home, End
                  choose further away
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

class Top {
  private message = "";
  private readonly live: Live;
  private readonly dialog: Dialog;
  private readonly options: ClientOptions;
  private readonly context: CliContext;
  /** What each of these keys does. */
  private readonly asked: Readonly<Record<string, () => Promise<void> | void>> = {
    "?": () => this.dialog.show(HELP.trim().split("\n")),
    r: () => this.dialog.askSoon(),
    h: () => this.override("hold", "held"),
    s: () => this.override("silence", "silenced"),
    a: () => this.approve(),
    d: () => this.deny(),
  };

  constructor(options: ClientOptions, context: CliContext, keys: Keys) {
    this.options = options;
    this.context = context;
    this.live = new Live(options, context);
    this.dialog = new Dialog(this.live, context, keys);
  }

  async run(): Promise<number> {
    const { live, dialog } = this;
    const draw = (): void => dialog.draw([footOf(this.message, live.failure)]);
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const key = await dialog.key(draw);
      if (key === "q" || key === "end") return EXIT.ok;
      this.message = "";
      live.move(stepOf(key, sizeOf(this.context)));
      // oxlint-disable-next-line no-await-in-loop -- the same
      await this.asked[key]?.();
    }
  }

  private async override(verb: "hold" | "silence", done: string): Promise<void> {
    const item = this.live.items()[this.live.chosen];
    if (item === undefined) return void (this.message = "nothing is chosen");
    const { dialog } = this;
    const { aggregator, kind, id } = item.entity;
    const length = await dialog.line(`${verb} ${kind}/${id} of ${aggregator} for (e.g. 30m): `);
    if (length !== undefined && parseDuration(length) === undefined)
      return void (this.message = `${length} is not a duration such as 30m or 2h: nothing was ${done}`);
    const reason = length === undefined ? undefined : await dialog.line("why: ");
    if (length === undefined || reason === undefined)
      return void (this.message = `nothing was ${done}`);
    const body = { scope: { aggregator, kind, id }, for: length, reason };
    await this.command(operatorCalls[verb], "", body);
  }

  private proposal(): Proposal | undefined {
    const id = this.live.items()[this.live.chosen]?.proposal;
    return this.live.shown?.overview.proposals.find((one) => one.id === id);
  }

  private async approve(): Promise<void> {
    const proposal = this.proposal();
    if (proposal === undefined) return void (this.message = "choose a proposal to approve");
    // What is shown here is what is approved, whatever takes its place meanwhile.
    const above = proposalLines(proposal);
    const question = "approve this; why? (Escape cancels): ";
    const reason = await this.dialog.lineBelow(question, above);
    const sure =
      reason === undefined ? undefined : await this.dialog.line("approve this? yes/no: ", above);
    if (reason === undefined || sure?.toLowerCase() !== "yes")
      return void (this.message = notApproved(sure));
    const body = { reason, digest: proposal.digest };
    await this.command(operatorCalls.approve, proposal.id, body);
  }

  private async deny(): Promise<void> {
    const proposal = this.proposal();
    if (proposal === undefined) return void (this.message = "choose a proposal to deny");
    const question = "deny this; why? (Escape cancels): ";
    const reason = await this.dialog.lineBelow(question, proposalLines(proposal));
    if (reason === undefined) return void (this.message = "nothing was denied");
    await this.command(operatorCalls.deny, proposal.id, { reason });
  }

  private async command(call: OperatorCall, subject: string, body: object): Promise<void> {
    const asked = callOf(call, subject, body);
    const done = await askDaemon(asked, doneAnswer, this.options, this.context);
    this.message = done.ok ? `done: ${done.value.detail}` : done.problem;
    this.dialog.askSoon();
  }
}

/** How far a key moves what is chosen: by one, by half a screen, or to an end. */
function stepOf(key: Key, { height }: Size): number {
  const page = Math.max(1, Math.floor(height / 2));
  const steps: Readonly<Record<string, number>> = {
    up: -1,
    k: -1,
    down: 1,
    j: 1,
    "page-up": -page,
    "page-down": page,
    first: -Infinity,
    last: Infinity,
  };
  return steps[key] ?? 0;
}
