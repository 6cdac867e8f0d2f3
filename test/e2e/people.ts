import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** An alert as Alertmanager tells it to a webhook. */
export type Told = {
  readonly status: "firing" | "resolved";
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
};

export type People = {
  readonly url: string;
  /** Everything that they were told, in order. */
  readonly told: readonly Told[];
  readonly close: () => Promise<void>;
};

/** Stands for the people at the end: a webhook receiver that keeps what Alertmanager tells it. */
export async function startPeople(): Promise<People> {
  const told: Told[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      told.push(...(JSON.parse(body) as { alerts: Told[] }).alerts);
      response.end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url: `http://127.0.0.1:${port}/`, told, close };
}
