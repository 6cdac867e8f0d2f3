import type { LogLine } from "./daemon.ts";

/**
 * Settings that are quick, so that a test takes seconds. Time limits are long all the same: a busy machine may stand still
 * for seconds, and no poll must fail of it. Only a short lease needs a short `timeout`.
 */
export function quickConfig(options: {
  readonly url: string;
  readonly mode: "shadow" | "propose" | "act";
  readonly watch?: string;
  readonly timeout?: string;
}): string {
  return `
aggregators:
  - name: sim
    base_url: ${options.url}
    auth: { act: { type: header, name: X-API-KEY, value_env: ACT_KEY } }
    timeout: ${options.timeout ?? "10s"}
    stale_after: 2m
    retries: 0
    schedules:
      exchanges: "* * * * * *"
      liquidations: "* * * * * *"
      pools: "* * * * * *"
      swaps: "* * * * * *"
${options.watch ?? ""}
actions: { mode: ${options.mode}, settle_after_start: 0s }
log: { level: debug, format: json }
`;
}

export const ACT_KEY = { ACT_KEY: "simulator-key" };

/** Rules of what the aggregator lists, and none of how it is polled. */
export const LISTED_RULES = `
groups:
  - name: quick
    rules:
      - alert: ExchangeDisabled
        each: exchange
        when: exchange.status == "disabled"
        for: 1s
        labels: { severity: critical }
        act: { action: enable_exchange, cooldown: 1h, verify_within: 5s, budget: { max: 5, per: 1h } }
      - alert: LiquidationStuck
        each: liquidation
        when: '!liquidation.final && age(liquidation.since) > duration("1s")'
        act: { action: force_cancel_order, verify_within: 5s, budget: { max: 1, per: 1h } }
`;

export const QUICK_RULES = `${LISTED_RULES.trimEnd()}
      - alert: PollFailing
        each: poller
        when: '!poller.up'
`;

export function alertLine(name: string, change: string): (line: LogLine) => boolean {
  return (line) =>
    line["msg"] === "alert" && line["alertname"] === name && line["change"] === change;
}

export function remediationLine(state: string): (line: LogLine) => boolean {
  return (line) => line["msg"] === "remediation" && line["state"] === state;
}

export function statusLine(entity: string, detail: string): (line: LogLine) => boolean {
  return (line) =>
    line["msg"] === "status changed" && line["entity"] === entity && line["detail"] === detail;
}
