import { SECOND, type Millis } from "../../../domain/time.ts";
import type { CliContext } from "../../context.ts";
import { coloured } from "../../print/colours.ts";
import { forTerminal, HOME } from "../../print/for-terminal.ts";
import { plain } from "../../table.ts";
import type { Key, Keys } from "./keys.ts";
import type { Live } from "./live.ts";
import { screenOf, sizeOf } from "./screen.ts";

const MORE = "Enter shows more, Escape cancels";
/** The blank line between a text and the foot, and the line after the last. */
const AROUND = 2;

const ASKED_EVERY: Millis = 2 * SECOND;

/** Draws on the terminal, and asks the person at it. */
export class Dialog {
  private mustAsk = true;
  private readonly live: Live;
  private readonly context: CliContext;
  private readonly keys: Keys;

  constructor(live: Live, context: CliContext, keys: Keys) {
    this.live = live;
    this.context = context;
    this.keys = keys;
  }

  /** The next key. Until one comes, the daemon is asked again and again, and `draw` shows what it said. */
  async key(draw: () => void): Promise<Key> {
    for (;;) {
      if (this.mustAsk) this.live.ask();
      // A daemon that is slow to answer is no reason to be slow to quit.
      const { underWay } = this.live;
      draw();
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const key = await this.keys.next(ASKED_EVERY, underWay);
      this.mustAsk = key === undefined && underWay === undefined;
      if (key !== undefined) return key;
    }
  }

  /** The daemon is asked before the next key. */
  askSoon(): void {
    this.mustAsk = true;
  }

  /** Draws the lists, or what is to be seen in their place, above these lines. */
  draw(foot: readonly string[], above?: readonly string[]): void {
    const { context, live } = this;
    const { width, height } = sizeOf(context);
    const feet = linesOf(foot, width);
    const whole = { width, height: height - 1 };
    const isOld = live.failure !== "";
    const lists =
      live.shown === undefined
        ? feet
        : screenOf({ shown: live.shown, chosen: live.chosen, isOld }, feet, whole);
    const room = Math.max(0, height - feet.length - AROUND);
    const last = above === undefined ? [] : linesOf(above, width);
    const all =
      above === undefined ? lists : [...last.slice(Math.max(0, last.length - room)), "", ...feet];
    const painted = context.isColoured === true ? all.map(coloured) : all;
    context.print(`${HOME}${painted.join("\n")}`);
  }

  /** What is typed, up to Enter; undefined after Escape or Ctrl-C, or if it is nothing. */
  async line(question: string, above?: readonly string[]): Promise<string | undefined> {
    let text = "";
    for (;;) {
      const asked = `${question}${text}_`;
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const key = await this.key(() => this.draw(this.feet(asked), above));
      if (key === "enter") return text.trim() === "" ? undefined : text.trim();
      if (key === "escape" || key === "end") return undefined;
      if (key === "backspace") text = text.replace(/.$/su, "");
      else if (/^[^\p{Cc}]$/u.test(key)) text += key;
    }
  }

  /** Shows a text until any key is pressed. */
  async show(text: readonly string[]): Promise<void> {
    await this.key(() => this.draw(this.feet("any key goes back"), text));
  }

  /** Asks, after all of this was shown: a screen at a time, if it is longer than one. */
  async lineBelow(question: string, above: readonly string[]): Promise<string | undefined> {
    let rest = linesOf(above, sizeOf(this.context).width);
    if (rest.length > this.roomAbove(`${question}_`))
      while (rest.length > 0) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const seen = await this.page(rest);
        if (seen === undefined) return undefined;
        rest = rest.slice(seen);
      }
    return await this.line(question, above);
  }

  /** Shows as many of these lines as fit, until Enter; gives their number; undefined after Escape or Ctrl-C. */
  private async page(lines: readonly string[]): Promise<number | undefined> {
    let fit = 0;
    const draw = (): void => {
      fit = Math.max(1, this.roomAbove(MORE));
      this.draw(this.feet(MORE), lines.slice(0, fit));
    };
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const key = await this.key(draw);
      if (key === "enter") return fit;
      if (key === "escape" || key === "end") return undefined;
    }
  }

  private roomAbove(foot: string): number {
    const { width, height } = sizeOf(this.context);
    return height - linesOf(this.feet(foot), width).length - AROUND;
  }

  /** That the daemon does not answer must be seen whatever is asked. */
  private feet(foot: string): readonly string[] {
    return [this.live.failure, foot].filter((text) => text !== "");
  }
}

function linesOf(texts: readonly string[], width: number): readonly string[] {
  return texts
    .flatMap((text) => text.split("\n"))
    .flatMap((text) => forTerminal(plain(text), width));
}
