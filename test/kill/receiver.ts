import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Alert } from "../../src/domain/alert.ts";
import { rowsOf } from "./audit.ts";
import type { JournalPicture } from "./house.ts";

/** A receiver of notifications, and what it heard last of each alert. */
export type KillReceiver = {
  readonly url: string;
  readonly lastWords: ReadonlyMap<string, string>;
  readonly close: () => Promise<void>;
};

type Body = {
  readonly notifications: ReadonlyArray<{ readonly key: string; readonly state: string }>;
};

export async function startKillReceiver(): Promise<KillReceiver> {
  const lastWords = new Map<string, string>();
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      const { notifications } = JSON.parse(text) as Body;
      for (const { key, state } of notifications) lastWords.set(key, state);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    lastWords,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

/** Alerts whose state, as the journal has it, is not what the receiver heard last. */
export function untold(
  picture: JournalPicture,
  lastWords: ReadonlyMap<string, string>,
): readonly string[] {
  return [...rowsOf<Alert>(picture, "alert").values()].flatMap(({ key, state }) => {
    const told = lastWords.get(`alert ${key}`);
    if (state === "pending" || told === state) return [];
    return [`${key} is ${state}, and the receiver heard ${told ?? "nothing"}`];
  });
}
