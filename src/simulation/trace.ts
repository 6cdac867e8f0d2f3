import { createHash } from "node:crypto";
import { HOME } from "../domain/lease.ts";
import type { Instant } from "../domain/time.ts";
import { stepText } from "./step-text.ts";
import type { RunEvent } from "./run-event.ts";

/** A hash over everything that a run showed: two runs that differ anywhere have different hashes. */
export function createTrace() {
  const hash = createHash("sha256");
  // Few large pieces are hashed much faster than many small ones.
  let waiting: string[] = [];
  let length = 0;
  const write = (line: string): void => {
    waiting.push(line);
    length += line.length;
    if (length > 100_000) flush();
  };
  const flush = (): void => {
    hash.update(`${waiting.join("\n")}\n`);
    waiting = [];
    length = 0;
  };
  return {
    add: (seen: RunEvent, unit: string): void =>
      write(unit === HOME ? lineOf(seen) : `${unit} ${lineOf(seen)}`),
    note: (at: Instant, what: string): void => write(`${at} ${what}`),
    hash: (): string => {
      flush();
      return hash.digest("hex").slice(0, 16);
    },
  };
}

function lineOf(seen: RunEvent): string {
  switch (seen.type) {
    case "step": {
      const { at, stampedAt, event, result, durable } = seen;
      const text =
        event.type === "policy_changed"
          ? JSON.stringify([{ type: event.type, moved: event.moved }, result])
          : stepText(seen);
      return `${at} step ${stampedAt} ${durable} ${text}`;
    }
    case "restarted":
      return `${seen.at} restarted ${seen.state.tables.remediation.size}`;
    case "lost":
      return `${seen.at} lost, and has ${JSON.stringify([...seen.state.tables.counter])}`;
    case "ended":
      return `${seen.at} ended ${JSON.stringify(seen.truth)}`;
    case "threw":
    case "sent":
    case "served":
    case "applied":
    case "delivered":
    case "crashed":
    case "checked":
    case "unowned":
    case "beyond_rate":
    case "stood_still":
    case "faults_ended":
      return JSON.stringify(seen);
  }
}
