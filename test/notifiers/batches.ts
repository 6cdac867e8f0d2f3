import type {
  AlertNotification,
  Batch,
  EventNotification,
  Notification,
} from "../../src/domain/notification.ts";
import type { NotifyContext } from "../../src/notifiers/notifier.ts";
import { MINUTE } from "../../src/domain/time.ts";

/** Batches that the notifiers are tried with. */

export const AT = Date.UTC(2026, 0, 2, 3, 4, 5);

export const CONTEXT: NotifyContext = {
  pageUrl: "https://aggwatch.example",
  unrecorded: false,
  resendMs: MINUTE,
};

export function alert(id: string, change: Partial<AlertNotification> = {}): AlertNotification {
  return {
    type: "alert",
    state: "firing",
    key: `ExchangeDisabled|bsc/exchange/${id}`,
    rule: "ExchangeDisabled",
    severity: "critical",
    entity: { aggregator: "bsc", kind: "exchange", id },
    labels: { team: "desk" },
    annotations: {
      summary: "An exchange is disabled.",
      description: `${id} on bsc has been disabled for 2m.`,
      runbook_url: "https://runbooks.example/ExchangeDisabled.md",
    },
    startedAt: AT - 5 * MINUTE,
    firedAt: AT - 3 * MINUTE,
    ...change,
  };
}

export function resolved(id: string, change: Partial<AlertNotification> = {}): AlertNotification {
  return alert(id, { state: "resolved", resolvedAt: AT - MINUTE, ...change });
}

const OF_PROPOSAL = {
  alertname: "ExchangeDisabled",
  aggregator: "bsc",
  kind: "exchange",
  entity: "BINANCE",
  action: "enable_exchange",
  proposal: "p7",
};

export const PROPOSED: EventNotification = {
  type: "event",
  topic: "remediations",
  word: "proposed",
  severity: "warning",
  at: AT,
  labels: OF_PROPOSAL,
  title: "enable_exchange of exchange BINANCE on bsc waits for a person",
  detail: "p7 expires at 2026-01-02T03:34:05.000Z",
  command: 'aggwatch approve p7 --reason "why"',
};

export const DENIED: EventNotification = {
  type: "event",
  topic: "remediations",
  word: "denied",
  severity: "info",
  at: AT,
  labels: OF_PROPOSAL,
  title: "enable_exchange of exchange BINANCE on bsc no longer waits for a person",
  detail: "p7 was denied by alice: the desk closed it",
};

/** What an aggregator might call an exchange, to break out of whatever it is put into. */
export const HOSTILE =
  '<!channel> </x>"}],"a":"\u202e\u0000\n*_`|<https://evil.example|click>&{{ 1 + 1 }}\ud800';

export function batch(...notification: readonly Notification[]): Batch {
  const firing = notification.filter(
    (one): one is AlertNotification => one.type === "alert" && one.state === "firing",
  );
  return {
    channel: "ops",
    at: AT,
    items: notification.map((one, index) => ({
      subject: one.type === "alert" ? `alert ${one.key}` : "proposal p7",
      notification: one,
      number: index + 1,
      since: AT - 2 * MINUTE,
      superseded: index === 0 ? 0 : 2,
    })),
    firing: { total: firing.length, some: firing.slice(0, 20) },
    behind: 0,
  };
}
