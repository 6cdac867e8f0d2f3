import type { Readable } from "node:stream";
import type { Millis } from "../../../domain/time.ts";

/** What was typed, key by key: a character, or the name of a key without one. */
type Key = "up" | "down" | "enter" | "escape" | "backspace" | "end" | (string & {});

export type Keys = {
  /** The next key; undefined if none comes within this time, or until this is done; `end` once there is no more. */
  readonly next: (withinMs: Millis, until?: Promise<unknown>) => Promise<Key | undefined>;
  readonly close: () => void;
};

const NAMES: Readonly<Record<string, Key>> = {
  "\u001B[A": "up",
  "\u001BOA": "up",
  "\u001B[B": "down",
  "\u001BOB": "down",
  "\r": "enter",
  "\n": "enter",
  "\u001B": "escape",
  "\u007F": "backspace",
  "\b": "backspace",
  // Ctrl-C and Ctrl-D are not signals on a raw terminal.
  "\u0003": "end",
  "\u0004": "end",
};

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
  const add = (chunk: unknown): void => {
    for (const [text] of String(chunk).matchAll(KEY)) typed.push(NAMES[text] ?? text);
    wake();
  };
  const end = (): void => {
    isOver = true;
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
