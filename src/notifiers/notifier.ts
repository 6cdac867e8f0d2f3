import type { Batch, Destination, Topic } from "../domain/notification.ts";
import type { Json } from "../domain/result.ts";
import type { Millis } from "../domain/time.ts";

export const NOTIFIER_NAMES = ["alertmanager", "webhook", "slack", "pagerduty"] as const;
export type NotifierName = (typeof NOTIFIER_NAMES)[number];

/** How a kind of receiver is told: a batch of notifications becomes one request. A value, not a class. */
export type Notifier = {
  readonly name: NotifierName;
  /** One sentence for docs/notifications.md. */
  readonly means: string;
  /** What it can tell of at all. */
  readonly topics: readonly Topic[];
  /** The most notifications in one request. */
  readonly most: number;
  /** `rule`: a request holds alerts of one rule on one aggregator only. */
  readonly grouping: "any" | "rule";
  /** It forgets what it is not told again. */
  readonly resends: boolean;
  readonly request: (
    batch: Batch,
    destination: Destination,
    context: NotifyContext,
  ) => NotifierRequest;
};

export type NotifyContext = {
  /** Where people reach the page, without a slash at the end; undefined where that is not known. */
  readonly pageUrl: string | undefined;
  /** The journal cannot be written just now: what is told is not on disk. */
  readonly unrecorded: boolean;
  readonly resendMs: Millis;
};

/** Always a POST of JSON. */
export type NotifierRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
};

export const UNRECORDED =
  "aggwatch cannot write its journal: this may come again, and no action is sent";
