import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { Millis } from "../../../domain/time.ts";

/** What was typed, key by key: a character, or the name of a key without one. */
export type Key =
  | "up"
  | "down"
  | "page-up"
  | "page-down"
  | "first"
  | "last"
  | "enter"
  | "escape"
  | "backspace"
  | "end"
  | (string & {});

export type Keys = {
  /** The next key; undefined if none comes within this time, or until this is done; from Ctrl-C on it is `end`. */
  readonly next: (withinMs: Millis, until?: Promise<unknown>) => Promise<Key | undefined>;
  readonly close: () => void;
};

const NAMES: Readonly<Record<string, Key>> = {
  "\u001B[A": "up",
  "\u001BOA": "up",
  "\u001B[B": "down",
  "\u001BOB": "down",
  "\u001B[5~": "page-up",
  "\u001B[6~": "page-down",
  "\u001B[H": "first",
  "\u001BOH": "first",
  "\u001B[1~": "first",
  "\u001B[F": "last",
  "\u001BOF": "last",
  "\u001B[4~": "last",
  "\r": "enter",
  "\n": "enter",
  "\u001B": "escape",
  "\u007F": "backspace",
  "\b": "backspace",
};

/** Ctrl-C and Ctrl-D are not signals on a raw terminal. */
const ENDS: ReadonlySet<string> = new Set(["\u0003", "\u0004"]);

/** The escape sequence of an unknown key counts as one key, not as typed letters. */
const ESCAPE = "\u001B";
const KEY = new RegExp(String.raw`${ESCAPE}(?:\[[0-9;]*[A-Za-z~]|O[A-Za-z])|[\s\S]`, "gu");

/** Reads a terminal key by key, until it is closed. */
export function readKeys(
  input: Readable & { setRawMode?: (raw: boolean) => unknown },
  signal: AbortSignal,
): Keys {
  const typed: Key[] = [];
  let wake: () => void = () => undefined;
  let isOver = false;
  // A chunk may end in the middle of a character.
  const decoder = new StringDecoder("utf8");
  const end = (): void => {
    isOver = true;
    wake();
  };
  const add = (chunk: Buffer | string): void => {
    for (const [text] of decoder.write(chunk).matchAll(KEY)) {
      if (isOver || ENDS.has(text)) return end();
      typed.push(NAMES[text] ?? text);
    }
    wake();
  };
  input.setRawMode?.(true);
  input.on("data", add);
  input.once("end", end);
  signal.addEventListener("abort", end, { once: true });
  input.resume();
  return {
    next: async (withinMs, until) => {
      if (typed.length === 0 && !isOver)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, withinMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
          void until?.then(wake);
        });
      return typed.shift() ?? (isOver ? "end" : undefined);
    },
    close: () => {
      input.off("data", add);
      input.off("end", end);
      signal.removeEventListener("abort", end);
      input.setRawMode?.(false);
      input.pause();
    },
  };
}
