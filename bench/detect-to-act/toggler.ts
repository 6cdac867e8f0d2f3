import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export type Toggler = {
  readonly url: string;
  readonly close: () => Promise<void>;
};

type Webhook = {
  readonly alerts: readonly {
    readonly status: "firing" | "resolved";
    readonly labels: Readonly<Record<string, string>>;
  }[];
};

/**
 * The least that can stand behind Alertmanager: a webhook receiver that enables whichever exchange it
 * is told of, at once and unasked. It has none of the guards.
 */
export async function startToggler(aggregatorUrl: string): Promise<Toggler> {
  const enable = async (incoming: IncomingMessage): Promise<void> => {
    const { alerts } = JSON.parse(await textOf(incoming)) as Webhook;
    for (const { status, labels } of alerts) {
      if (status !== "firing") continue;
      const url = `${aggregatorUrl}/api/v1/exchange/toggle/${labels["exchange"]}`;
      const reply = await fetch(url, { method: "POST" });
      if (!reply.ok) throw new Error(`${url}: ${reply.status}`);
    }
  };
  const server = createServer((incoming, outgoing) => {
    enable(incoming).then(
      () => outgoing.end(),
      (error: unknown) => outgoing.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  let text = "";
  incoming.setEncoding("utf8");
  for await (const piece of incoming as AsyncIterable<string>) text += piece;
  return text;
}
