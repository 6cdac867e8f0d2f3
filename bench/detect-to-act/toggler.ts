import type { IncomingMessage } from "node:http";
import { serve, type LoopbackServer } from "../loopback.ts";

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
export async function startToggler(aggregatorUrl: string): Promise<LoopbackServer> {
  const enable = async (incoming: IncomingMessage): Promise<void> => {
    const { alerts } = JSON.parse(await textOf(incoming)) as Webhook;
    for (const { status, labels } of alerts) {
      if (status !== "firing") continue;
      const url = `${aggregatorUrl}/api/v1/exchange/toggle/${labels["exchange"]}`;
      const reply = await fetch(url, { method: "POST" });
      if (!reply.ok) throw new Error(`${url}: ${reply.status}`);
    }
  };
  return await serve((incoming, outgoing) => {
    enable(incoming).then(
      () => outgoing.end(),
      (error: unknown) => outgoing.writeHead(500).end(String(error)),
    );
  });
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  let text = "";
  incoming.setEncoding("utf8");
  for await (const piece of incoming as AsyncIterable<string>) text += piece;
  return text;
}
