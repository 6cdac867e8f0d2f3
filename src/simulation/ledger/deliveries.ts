import type { Alert } from "../../domain/alert.ts";
import type { Instant } from "../../domain/time.ts";
import { plain, shortKey } from "../../notifiers/wording.ts";
import type { DeliveredAlert, RunEvent, Step } from "../run-event.ts";

/** Which notifications of alerts the receiver got, and which it is still to get. */
export class Deliveries {
  /** The last delivery of each alert. */
  readonly last = new Map<string, DeliveredAlert & { readonly at: Instant }>();
  /** What fired, was committed, and is to be delivered once at least. */
  readonly owed = new Map<string, Instant>();

  settle(event: RunEvent): void {
    if (event.type === "step") this.settleStep(event);
    if (event.type !== "delivered") return;
    for (const alert of event.alerts) {
      this.last.set(alert.key, { ...alert, at: event.at });
      this.owed.delete(alert.key);
    }
  }

  private settleStep({ at, durable, result, state }: Step): void {
    for (const finding of result.findings) {
      if (finding.type !== "alert" || finding.change !== "firing" || !durable) continue;
      // What a silence or another alert keeps back is delivered when that ends, if it still fires then.
      if (!state.muted.has(finding.alert.key)) this.owed.set(deliveryKey(finding.alert), at);
    }
  }
}

/** The webhook's key of an alert. */
export function deliveryKey({ key }: Pick<Alert, "key">): string {
  return shortKey(plain(`alert ${key}`, Infinity), 500);
}
