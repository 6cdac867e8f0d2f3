import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { Term } from "../parts/small.ts";
import { placeOf } from "./opener.ts";
import type { Needed } from "./session.ts";

/** Something that a person may ask of aggwatch: what the dialog shows and sends for it. */
export type Operation = {
  readonly title: string;
  /** What the button says that sends it. */
  readonly verb: string;
  readonly needs: Needed;
  readonly method: "POST" | "DELETE";
  readonly path: string;
  /**
   * What exactly it is about, as it is now: term and text. Undefined once it cannot be asked any more, as what it is
   * about is gone or is decided.
   */
  readonly about: (given: Given) => readonly Term[] | undefined;
  /** What became of it, by anyone, once `about` returns undefined. */
  readonly gone?: () => string;
  readonly fields?: readonly Field[];
  /** The body of the call; it always has a reason. Undefined: the call has no body. */
  readonly body?: (given: Given, reason: string) => unknown;
  /** Whether it cannot be undone. */
  readonly isIrreversible?: boolean;
  /** Says what would change before it is asked for. */
  readonly preview?: (answer: unknown) => ComponentChildren;
};

export type Given = Readonly<Record<string, string>>;

export type Field = {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  /** A function is called while the field is drawn, as a hook, for what is to be asked for first. */
  readonly choices?: readonly string[] | (() => readonly string[]);
  readonly isRequired?: boolean;
  readonly hint?: string;
};

/** What the dialog asks about; undefined while it is closed. */
export const asked = signal<Operation | undefined>(undefined);

let giveBack: (() => void) | undefined;

export function ask(operation: Operation): void {
  giveBack = placeOf(document.activeElement);
  asked.value = operation;
}

/** The dialog is closed. */
export function giveFocusBack(): void {
  giveBack?.();
  giveBack = undefined;
}
