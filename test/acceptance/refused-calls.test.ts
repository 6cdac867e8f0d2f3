import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { startAggregator } from "./aggregator.ts";
import { makeHome, startDaemon } from "./daemon.ts";
import { ACT_KEY, QUICK_RULES, quickConfig } from "./quick.ts";

test("a daemon names who is refused once, however often they call", async (context) => {
  const aggregator = await startAggregator(context);
  const config = quickConfig({ url: aggregator.url, mode: "shadow" });
  const home = makeHome(context, `${config}server: { tokens_file: tokens.yaml }\n`, QUICK_RULES);
  const sha256 = createHash("sha256").update("alices-token").digest("hex");
  const tokens = `- { name: alice, token_sha256: ${sha256}, scopes: [operate] }\n`;
  writeFileSync(join(dirname(home.config), "tokens.yaml"), tokens);
  const daemon = await startDaemon(context, home, ACT_KEY);
  const kill = async (headers: Readonly<Record<string, string>>): Promise<number> => {
    const answer = await fetch(`${daemon.url}/api/v1/kill`, { method: "POST", headers });
    await answer.text();
    return answer.status;
  };
  for (let count = 0; count < 500; count += 1) {
    expect(await kill({})).toBe(401);
    expect(await kill({ authorization: "Bearer outdated" })).toBe(401);
  }
  const refused = daemon.lines.filter(({ msg }) => msg === "writing call refused");
  expect(refused).toMatchObject([
    { level: "warn", client: "127.0.0.1", reason: "a bearer token is needed" },
    { level: "warn", client: "127.0.0.1", reason: "unknown token" },
  ]);
});
