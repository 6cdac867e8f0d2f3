import { expect } from "vitest";
import type { Demo, DemoOptions } from "../start-demo.ts";
import { TOKEN, tokensFile } from "../tokens.ts";

/** Disables an exchange in a demo's simulator, as the aggregator's own people would. */
export async function disableExchange(
  { simulatorUrl }: Pick<Demo, "simulatorUrl">,
  name: string,
): Promise<void> {
  const url = `${simulatorUrl}/api/v1/exchange/toggle/${name}`;
  expect((await fetch(url, { method: "DELETE" })).status).toBe(200);
}

/** A demo in which alice may do what these scopes allow. */
export function operatedDemo(scopes: readonly string[]): DemoOptions {
  return {
    config: ["server: { tokens_file: tokens.yaml }", ""],
    files: { "tokens.yaml": tokensFile([{ name: "alice", token: TOKEN, scopes }]) },
  };
}

/** A demo that enables exchanges again, in this mode of its only rule; `settings` are further ones of `actions`. */
export function repairingDemo(
  mode: "act" | "propose",
  { config = [""], files }: DemoOptions = {},
  settings: readonly string[] = [],
): DemoOptions {
  const actions = ["mode: act", "settle_after_start: 1s", ...settings].join(", ");
  return {
    config: [`actions: { ${actions} }`, ...config],
    files: { ...files, "rules/exchanges.yaml": rulesOf(mode) },
    rules: "rules",
  };
}

function rulesOf(mode: string): string {
  return `
groups:
  - name: exchanges
    rules:
      - alert: ExchangeDisabled
        each: exchange
        when: exchange.status == "disabled"
        act: { action: enable_exchange, mode: ${mode}, cooldown: 1s, attempts: 3, verify_within: 30s, budget: { max: 9, per: 1h } }
`;
}
