import { toTheSecond } from "../../domain/time.ts";
import { wrapped } from "../table.ts";
import { cellsOf } from "./cells.ts";

/**
 * A line as a person at a terminal wants it: within its width, and instants and ages to the second. What goes into a
 * pipe stays as it is.
 */
export function forTerminal(line: string, width: number): readonly string[] {
  const text = toTheSecond(line);
  if (cellsOf(text) <= width) return [text];
  const indent = /^\s*/.exec(text)?.[0] ?? "";
  const [first = "", ...more] = wrapped(text, width - indent.length);
  if (more.length === 0) return [indent + first];
  // What goes on begins a little to the right of where the line began.
  const deeper = `${indent}  `;
  const rest = text.slice(indent.length + first.length);
  return [indent + first, ...wrapped(rest, width - deeper.length).map((one) => deeper + one)];
}

/** Moves to the upper left and clears what is below. Clearing the whole screen would flicker. */
export const HOME = "\u001B[H\u001B[J";

/** Lines that must not be wrapped: control sequences, and the line of a file above the mark that points into it. */
// oxlint-disable-next-line no-control-regex -- they begin with such a character
const FIXED = /\u001B|^ *\d* \| /;

/** Fits all lines of a text, if they go to a terminal. */
export function fitting(
  write: (text: string) => void,
  widthNow: () => number | undefined,
): (text: string) => void {
  return (text) => {
    const width = widthNow();
    if (width === undefined) return write(text);
    const lines = text.split("\n");
    write(
      lines.flatMap((line) => (FIXED.test(line) ? [line] : forTerminal(line, width))).join("\n"),
    );
  };
}
