import { Buffer } from "node:buffer";
import { ACT_KEY, READ_KEY } from "../machine/simulated-aggregator.ts";
import type { Sent, Step } from "../run-event.ts";
import { stepText } from "../step-text.ts";
import { on } from "./checker.ts";

/** Even if a server repeats a key, no eight characters of it are in anything observed, decided, recorded or sent. */
export const secrets = on(["step", "sent"], "12 secrets", (event, ledger) => {
  const [found] = PIECES.exec(textOf(event)) ?? [];
  if (found === undefined || !ledger.reportOnce(`${found} of a key`)) return [];
  return [`${found}, which is of a key, is in ${whatOf(event)}`];
});

type Shown = Step | Sent;

/** Eight characters in a row, as they are, in base64 with anything before them, and in hexadecimal. */
function piecesOf(key: string): readonly string[] {
  const runs = (text: string, length: number): string[] =>
    [...text].flatMap((_, at) => (at + length > text.length ? [] : text.slice(at, at + length)));
  const inBase64 = [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), Buffer.from(key)]).toString("base64");
    return runs(encoded.slice(before === 0 ? 0 : 4, -4), 8);
  });
  return [...runs(key, 8), ...inBase64, ...runs(Buffer.from(key).toString("hex"), 16)];
}

/** The keys and their base64 are letters and digits alone, so that nothing has to be escaped. */
const PIECES = new RegExp(
  [ACT_KEY, READ_KEY].flatMap(({ value }) => piecesOf(value)).join("|"),
  "i",
);

/** The text of an event, with percent-encoding undone: the pieces are not encoded. */
function textOf(event: Shown): string {
  return shownOf(event).replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** The text to search; ticks and commands hold nothing from a server. */
function shownOf(event: Shown): string {
  if (event.type === "sent") return event.path;
  return FROM_OUTSIDE.has(event.event.type) ? stepText(event) : "";
}

const FROM_OUTSIDE: ReadonlySet<string> = new Set(["observed", "acted", "notified"]);

function whatOf(event: Shown): string {
  return event.type === "step"
    ? `a step for the event ${event.event.type}`
    : "the path of a request";
}
