import type { z } from "zod";
import type { Batch, Topic } from "../domain/notification.ts";
import type { Json } from "../domain/result.ts";
import type { Millis } from "../domain/time.ts";
import type { CredentialText } from "../schema/credential.ts";

/**
 * A type of receiver: the settings of its channels, and the request for a batch of notifications.
 * Config, docs and commands derive from the list in index.ts.
 */
export type Notifier = {
  /** The type of its channels, and their name unless another is set. */
  readonly name: string;
  /** The key under `notify` that lists its channels. */
  readonly key: string;
  /** Its description in docs/notifications.md. */
  readonly means: string;
  /** A channel as it may be written in the list, for docs/notifications.md: YAML on one line. */
  readonly example: string;
  /** The topics that it can express. */
  readonly topics: readonly Topic[];
  /** The most notifications in one request. */
  readonly most: number;
  /** `rule`: a request holds alerts of one rule on one aggregator only. */
  readonly grouping: "any" | "rule";
  /** The receiver forgets alerts that are not sent again. */
  readonly resends?: true;
  /** A channel may be written as its URL alone, and is then named by its host, as there may be several. */
  readonly isUrlEnough?: true;
  readonly settings: ChannelKeys;
  readonly request: (
    batch: Batch,
    destination: Destination,
    context: NotifyContext,
  ) => NotifierRequest;
};

/**
 * The keys of a channel that depend on the notifier; the others are in src/config/settings/notify-schema.ts.
 * `x_file` and `x_env` (`secretKeys`) name a secret that the destination holds as `secrets.x`.
 */
export type ChannelKeys = {
  readonly url?: z.ZodType<string>;
  readonly auth?: z.ZodType<CredentialText>;
  /** The chat of a messenger that has many. */
  readonly chat_id?: z.ZodType<string>;
  /** Of emails: the sender, the recipients, and whether TLS is required. */
  readonly from?: z.ZodType<string>;
  readonly to?: z.ZodType<readonly string[]>;
  readonly starttls?: z.ZodType<string>;
  /** Whether an alert that always fires is sent too; for a notifier that `resends`. */
  readonly watchdog?: z.ZodType<boolean>;
  /** The operator's own body; its texts are templates over `BODY_WORDS`. */
  readonly body?: z.ZodType<Readonly<Record<string, unknown>> | undefined>;
} & { readonly [Key in `${string}_file` | `${string}_env`]: z.ZodType<string | undefined> };

/** Keys whose values go into a request unchanged. */
export const OPTION_KEYS = ["chat_id", "from", "to", "starttls"] as const satisfies ReadonlyArray<
  keyof ChannelKeys
>;

/** The values of one channel for its requests; only the shell puts secrets in. */
export type Destination = {
  /** From the key `url`, or from the secret `url`. */
  readonly url: string;
  /** From `auth`. */
  readonly headers: Readonly<Record<string, string>>;
  /** From `auth`, for protocols other than HTTP. */
  readonly login?: Login | undefined;
  readonly secrets: Readonly<Record<string, string>>;
  /** The `OPTION_KEYS` that are set; a list is joined by commas. */
  readonly options: Readonly<Record<string, string>>;
  /** Makes the operator's own body; undefined if there is none. */
  readonly body?: ((words: BodyWords) => Json) | undefined;
};

export type NotifyContext = {
  /** Where people reach the page, without a slash at the end; undefined if unknown. */
  readonly pageUrl: string | undefined;
  /** The journal cannot be written now, so notifications are not on disk. */
  readonly unrecorded: boolean;
  readonly resendMs: Millis;
};

export type NotifierRequest = PostRequest | EmailRequest;

/** A POST of JSON. */
export type PostRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
};

/** An email, and the server that delivers it. */
export type EmailRequest = {
  /** `smtp://host:port`, or `smtps://`. */
  readonly url: string;
  readonly envelope: {
    readonly from: string;
    readonly to: readonly string[];
    /** Without TLS, nothing is sent. */
    readonly isTlsRequired: boolean;
    readonly login: Login | undefined;
  };
  readonly body: {
    readonly subject: string;
    readonly text: string;
    readonly html: string;
    /** The same for the same message, so that a receiver can recognise a duplicate. */
    readonly message_id: string;
    /** Ids of the threads that it belongs to: all messages about one run of an alert share one. */
    readonly references: readonly string[];
  };
};

export type Login = { readonly username: string; readonly password: string };

export const UNRECORDED =
  "aggwatch cannot write its journal: this may come again, and no action is sent";

/** The words that templates in an operator's own body may use. */
export const BODY_WORDS = {
  title: "One line for people: what it is about, and how many.",
  text: "The notifications in the message, one a line, below a proposal its command; of a storm the first 4 000 characters, and how many more there are.",
  state:
    "`firing`, `resolved`, or the word of an event; if several differ, `firing` if one is, else `several`.",
  severity: "The highest of all.",
  aggregator: "Its name, or `several`.",
  alertname: "The rule, `several`, or empty.",
  entity: "The entity, `several`, or empty.",
  link: "The alert or the proposal on the page of this aggwatch, or the page; empty without `server.external_url`.",
  count: "How many notifications the message holds.",
  key: "The same text for the same alert, firing and resolved.",
} as const;
export type BodyWords = Readonly<Record<keyof typeof BODY_WORDS, string>>;

/** The most characters of one of them, as an expression reads no longer text. */
export const LONGEST_WORD = 4_000;
