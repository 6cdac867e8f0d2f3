import { serve, type LoopbackServer } from "../loopback.ts";

/** An exporter as most are: it reads the aggregator when it is scraped, so that nothing waits for a poll before. */
export async function startExporter(aggregatorUrl: string): Promise<LoopbackServer> {
  const page = async (): Promise<string> => {
    const reply = await fetch(`${aggregatorUrl}/api/v1/exchange/disabled`);
    const { exchanges } = (await reply.json()) as { readonly exchanges: readonly string[] };
    const lines = exchanges.map((name) => `aggwatch_exchange_disabled{exchange="${name}"} 1\n`);
    // One that is never disabled, so that it is seen that the scrapes come in.
    lines.push('aggwatch_exchange_disabled{exchange="NONE"} 0\n');
    return `# TYPE aggwatch_exchange_disabled gauge\n${lines.join("")}`;
  };
  return await serve((_request, response) => {
    page().then(
      (text) => response.writeHead(200, { "content-type": "text/plain; version=0.0.4" }).end(text),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
}
