import { TOPICS, type ChannelPolicy, type NotifyPolicy } from "../../domain/notification.ts";
import type { Millis } from "../../domain/time.ts";
import { notifiers } from "../../notifiers/index.ts";
import { OPTION_KEYS, type Notifier } from "../../notifiers/notifier.ts";
import { urlProblem } from "../../schema/url.ts";
import { sameNames } from "../same-names.ts";
import { isMisspelt } from "../yaml/known-problems.ts";
import type { YamlPath } from "../yaml/yaml-source.ts";
import { notifySchema, type ChannelText, type NotifyText } from "./notify-schema.ts";
import { readSecret, resolveCredential, secretKey, type Credential } from "./resolve-credential.ts";
import { resolveRoute, type Route } from "./resolve-route.ts";
import type { Resolving } from "./resolving.ts";
import type { Secret } from "./secret.ts";
import { compileBody, type WebhookBody } from "./webhook-body.ts";

/** The channels, and what holds for all of them. What a unit of senders leaves to `home`, and its name, is set later. */
export type NotifySettings = Omit<NotifyPolicy, "channels"> & {
  /** `server.external_url`, without a slash at the end. */
  readonly pageUrl: string | undefined;
  readonly resendMs: Millis;
  readonly channels: readonly ChannelSettings[];
};

/** A channel: what decides on its notifications, and what its requests are made with. */
export type ChannelSettings = {
  readonly notifier: Notifier;
  readonly policy: ChannelPolicy;
  /** Undefined if the address is the secret `url`. */
  readonly url: string | undefined;
  /** By the names that the notifier gives them, such as `url` or `routing_key`. */
  readonly secrets: Readonly<Record<string, Secret>>;
  /** The other keys that the request is made with. */
  readonly options: Readonly<Record<string, string>>;
  readonly auth: Credential;
  readonly route: Route;
  readonly body: WebhookBody | undefined;
};

/** The defaults, with no channel. */
export const NO_NOTIFICATIONS: NotifySettings = settingsOf(notifySchema.parse({}), [], undefined);

/** What the core knows of the channels, which is not where they are. */
export function notifyPolicyOf(settings: NotifySettings): NotifyPolicy {
  const { pageUrl: _, resendMs: __, ...policy } = settings;
  return { ...policy, channels: settings.channels.map((channel) => channel.policy) };
}

/** Resolves all channels. A name identifies a channel over restarts, so no two have the same. */
export function resolveNotify(
  work: Resolving,
  text: NotifyText,
  externalUrl: string | undefined,
): NotifySettings {
  const resendMs = text.resend_interval;
  const channels = notifiers.flatMap((notifier) => {
    const { isUrlEnough }: Notifier = notifier;
    return text[notifier.key].map((one, index) => {
      const path = ["notify", notifier.key, index];
      // Without a name, it is called by the host of its URL if that alone is enough, or by its type.
      const isByUrl = one.name === undefined && isUrlEnough === true;
      const namedBy = isByUrl ? ["name", "url"] : ["name"];
      const isNamed = !namedBy.some((key) => isMisspelt(work, [...path, key]));
      const settings = resolveChannel(work, notifier, one, path, resendMs);
      return { settings, name: settings.policy.name, path, isNamed };
    });
  });
  for (const [{ name, path }, first] of sameNames(channels.filter(({ isNamed }) => isNamed)))
    work.report({
      id: "config/duplicate",
      path: [...path, "name"],
      at: "key",
      message: `${first.path.join(".")} has the name "${name}" already`,
      hint: "give each channel a name of its own: it is the key of what waits for the channel",
    });
  return settingsOf(
    text,
    channels.map(({ settings }) => settings),
    externalUrl,
  );
}

function settingsOf(
  text: NotifyText,
  channels: readonly ChannelSettings[],
  externalUrl: string | undefined,
): NotifySettings {
  return {
    pageUrl: externalUrl?.replace(/\/+$/, ""),
    resendMs: text.resend_interval,
    suppressedAfterMs: text.suppressed_after,
    annotations: text.annotations,
    channels,
  };
}

function resolveChannel(
  work: Resolving,
  notifier: Notifier,
  text: ChannelText,
  path: YamlPath,
  resendMs: Millis,
): ChannelSettings {
  const { name, grouping, most, resends } = notifier;
  const topics = text.tells ?? notifier.topics;
  const secrets = readSecrets(work, notifier, text, path);
  const auth: Credential =
    text.auth === undefined
      ? { type: "none" }
      : resolveCredential(work, text.auth, [...path, "auth"]);
  if (text.starttls === "optional" && auth.type !== "none")
    work.report({
      id: "config/contradiction",
      path: [...path, "starttls"],
      message: "the password could be read on the way to a server that offers no TLS",
      hint: "take starttls out, or auth",
    });
  return {
    notifier,
    policy: {
      name: text.name ?? (notifier.isUrlEnough === true ? hostName(name, text.url ?? "") : name),
      type: name,
      topics: TOPICS.filter((topic) => topics.includes(topic)),
      leastSeverity: text.min_severity,
      match: text.match,
      most,
      grouping,
      ...(resends === true ? { resendMs } : {}),
      ...(text.watchdog === true ? { watchdog: true } : {}),
    },
    url: text.url,
    secrets,
    options: Object.fromEntries(
      OPTION_KEYS.flatMap((key) => (text[key] === undefined ? [] : [[key, String(text[key])]])),
    ),
    auth,
    route: resolveRoute(work, text, path, {
      url: secrets["url"]?.reveal() ?? text.url,
      at: [...path, secrets["url"] === undefined ? "url" : secretKey(text, "url")],
      isSecret: auth.type !== "none" || Object.keys(secrets).length > 0,
    }),
    body: text.body && compileBody(work, text.body, [...path, "body"]),
  };
}

/** The names of a notifier's secrets: those of its keys `x_file`. */
function secretNames({ settings }: Notifier): string[] {
  return Object.keys(settings).flatMap((key) => /^(.+)_file$/.exec(key)?.[1] ?? []);
}

function readSecrets(
  work: Resolving,
  notifier: Notifier,
  text: ChannelText,
  path: YamlPath,
): Readonly<Record<string, Secret>> {
  const found = secretNames(notifier).flatMap((name): Array<[string, Secret]> => {
    const secret = readSecret(work, text, path, name);
    if (secret === undefined) return [];
    if (name === "url" && urlProblem(secret.reveal()).length > 0) {
      // A secret is not repeated in a problem: with it, a reader of the log could post there.
      work.report({
        id: "config/secret",
        path: [...path, secretKey(text, "url")],
        message: "what it holds is not an http or https URL, or has a user name or password in it",
      });
    }
    return [[name, secret]];
  });
  return Object.fromEntries(found);
}

function hostName(type: string, url: string): string {
  const host = URL.parse(url)?.host.toLowerCase() ?? "";
  return `${type}-${host.replace(/[^a-z0-9_.-]+/g, "-")}`.slice(0, 63).replace(/-+$/, "");
}
