import type { State } from "../../core/state.ts";
import { alertSubject } from "../../core/tell/outbox.ts";
import type { Alert } from "../../domain/alert.ts";
import type { OutboxRow } from "../../domain/notification.ts";
import type { Instant } from "../../domain/time.ts";
import { plain, shortKey } from "../../notifiers/wording.ts";
import type { DeliveredAlert, RunEvent, Step } from "../run-event.ts";

/** Which notifications of alerts the receiver got, and which it must still get. */
export class Deliveries {
  /** The last delivery of each alert. */
  readonly last = new Map<
    string,
    DeliveredAlert & { readonly at: Instant; readonly sentAt: Instant }
  >();
  /** The alerts that fired, were committed, and must be delivered at least once. */
  readonly owed = new Map<string, Instant>();
  /**
   * Alerts whose last delivery no process knows: they began or ended while nothing could be written, and the
   * process that delivered this is gone; or a later delivery had overtaken it on its way. Their end, or that they still
   * fire, cannot be notified.
   */
  readonly forgotten = new Set<string>();
  /** The rows of the alerts that had to be notified since the last successful commit. */
  private readonly unwritten = new Map<string, string>();

  settle(event: RunEvent): void {
    if (event.type === "step") this.settleStep(event);
    if (event.type === "restarted") this.forget(event.state);
    if (event.type !== "delivered") return;
    const { at, sentAt } = event;
    for (const alert of event.alerts) {
      const isOvertaken = sentAt < (this.last.get(alert.key)?.sentAt ?? -Infinity);
      this.last.set(alert.key, { ...alert, at, sentAt });
      this.owed.delete(alert.key);
      if (isOvertaken) this.forgotten.add(alert.key);
      else this.forgotten.delete(alert.key);
    }
  }

  private forget({ tables }: State): void {
    for (const [key, row] of this.unwritten) {
      const told = this.last.get(key);
      const since = told?.state === "firing" ? told.firedAt : undefined;
      if (firesSince(tables.notification.get(row)) !== since) this.forgotten.add(key);
    }
    this.unwritten.clear();
  }

  /** No process knows later deliveries, and an alert that fired later fires again if its entity is still bad. */
  lose({ tables }: State): void {
    const known = new Map<string, Instant | undefined>();
    for (const row of tables.notification.values()) {
      const news = row.waiting?.news ?? row.told?.news;
      if (news?.type === "alert") known.set(deliveryKey(news), firesSince(row));
    }
    for (const [key, { state, firedAt }] of this.last)
      if (known.get(key) !== (state === "firing" ? firedAt : undefined)) this.forgotten.add(key);
    for (const key of this.owed.keys()) if (known.get(key) === undefined) this.owed.delete(key);
    this.unwritten.clear();
  }

  private settleStep({ at, durable, result, state }: Step): void {
    if (durable) this.unwritten.clear();
    for (const { table, key, value } of durable ? [] : result.changes) {
      const row = value as OutboxRow | undefined;
      const news = table === "notification" ? row?.waiting?.news : undefined;
      if (news?.type === "alert") this.unwritten.set(deliveryKey(news), key);
    }
    for (const finding of result.findings) {
      // What waited for a receiver that was down may be muted by then, too.
      if (finding.type === "muted") this.owed.delete(plainKey(finding.subject));
      if (finding.type !== "alert" || finding.change !== "firing" || !durable) continue;
      // An alert that a silence or another alert mutes is delivered when that ends, if it still fires then.
      if (!state.muted.has(finding.alert.key)) this.owed.set(deliveryKey(finding.alert), at);
    }
  }
}

/** Since when an alert fires, by the waiting notification or else the last delivered; undefined if it does not. */
function firesSince(row: OutboxRow | undefined): Instant | undefined {
  const news = row?.waiting?.news ?? row?.told?.news;
  return news?.type === "alert" && news.state === "firing" ? news.firedAt : undefined;
}

/** The webhook's key of an alert. */
export function deliveryKey({ key }: Pick<Alert, "key">): string {
  return plainKey(alertSubject(key));
}

function plainKey(subject: string): string {
  return shortKey(plain(subject, Infinity), 500);
}
