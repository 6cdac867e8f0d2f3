import { expect } from "vitest";
import { createEvents, type Events, type Finishing } from "./events.ts";

export type Sent = { readonly event: string; readonly id: string; readonly data: string };

type Looking = {
  /** What was sent, and `end` when the daemon has ended the stream. */
  readonly events: Events<Sent>;
  readonly leave: () => void;
};

/** The server-sent events of a daemon, as a browser reads them. */
export async function look(context: Finishing, url: string, lastId?: string): Promise<Looking> {
  const events = createEvents<Sent>(context, "event");
  const leaving = new AbortController();
  context.onTestFinished(() => leaving.abort());
  const reply = await fetch(`${url}/api/v1/events`, {
    signal: leaving.signal,
    headers: lastId === undefined ? {} : { "last-event-id": lastId },
  });
  expect(reply.headers.get("content-encoding")).toBe("gzip");
  const read = async (): Promise<void> => {
    let rest = "";
    for await (const chunk of reply.body ?? []) {
      const parts = (rest + Buffer.from(chunk).toString()).split("\n\n");
      rest = parts.pop() ?? "";
      for (const part of parts) {
        const fields = new Map(
          part.split("\n").map((line) => {
            const [name = "", ...value] = line.split(": ");
            return [name, value.join(": ")] as const;
          }),
        );
        const field = (name: string): string => fields.get(name) ?? "";
        events.add({ event: field("event"), id: field("id"), data: field("data") });
      }
    }
  };
  // A stream that is cut is one that ends in an error.
  read()
    .catch(() => undefined)
    .finally(() => events.add({ event: "end", id: "", data: "" }));
  return { events, leave: () => leaving.abort() };
}
