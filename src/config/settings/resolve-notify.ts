import type { ChannelSeverity, Topic } from "../../domain/notification.ts";
import { TOPICS } from "../../domain/notification.ts";
import type { Millis } from "../../domain/time.ts";
import type { NotifierName } from "../../notifiers/notifier.ts";
import { isKnown } from "../yaml/known-problems.ts";
import type { NotifyText } from "./notify-schema.ts";
import { readSecret, resolveCredential } from "./resolve-credential.ts";
import type { Credential, CredentialWork, SecretText } from "./resolve-credential.ts";
import type { Secret } from "./secret.ts";
import { compileBody, type WebhookBody } from "./webhook-body.ts";
import type { YamlPath } from "../yaml/yaml-source.ts";

/** Who is told, and of what. */
export type NotifySettings = {
  /** Without a slash at the end. */
  readonly pageUrl: string | undefined;
  readonly resendMs: Millis;
  readonly suppressedAfterMs: Millis;
  readonly channels: readonly ChannelSettings[];
};

export type ChannelSettings = {
  readonly name: string;
  readonly type: NotifierName;
  readonly topics: readonly Topic[];
  readonly leastSeverity: ChannelSeverity;
  readonly match: Readonly<Record<string, string>>;
  /** Where it goes, where that is no secret. */
  readonly url: string | undefined;
  readonly secretUrl: Secret | undefined;
  readonly routingKey: Secret | undefined;
  readonly auth: Credential;
  readonly body: WebhookBody | undefined;
};

type Wanted = Pick<NotifyText["slack"][number], "name" | "min_severity" | "match"> & SecretText;

/** Resolves all channels. A name stands for a channel over restarts, so no two have the same. */
export function resolveNotify(work: CredentialWork, text: NotifyText): NotifySettings {
  const channels = [
    ...text.alertmanagers.map((one, index) =>
      channel(work, "alertmanager", one, ["notify", "alertmanagers", index], {
        name: hostName("alertmanager", one.url),
        topics: ["alerts"],
        url: one.url,
        auth: one.auth,
      }),
    ),
    ...text.webhooks.map((one, index) =>
      channel(work, "webhook", one, ["notify", "webhooks", index], {
        name: "webhook",
        topics: one.tells,
        secret: "url",
        auth: one.auth,
        body: one.body,
      }),
    ),
    ...text.slack.map((one, index) =>
      channel(work, "slack", one, ["notify", "slack", index], {
        name: "slack",
        topics: one.tells,
        secret: "url",
      }),
    ),
    ...text.pagerduty.map((one, index) =>
      channel(work, "pagerduty", one, ["notify", "pagerduty", index], {
        name: "pagerduty",
        topics: ["alerts"],
        url: one.url,
        secret: "routing_key",
      }),
    ),
  ];
  reportDuplicates(work, channels);
  return {
    pageUrl: text.page_url?.replace(/\/+$/, ""),
    resendMs: text.resend_interval,
    suppressedAfterMs: text.suppressed_after,
    channels: channels.map(({ settings }) => settings),
  };
}

type Placed = { readonly settings: ChannelSettings; readonly path: YamlPath };

function channel(
  work: CredentialWork,
  type: NotifierName,
  text: Wanted,
  path: YamlPath,
  own: {
    readonly name: string;
    readonly topics: readonly Topic[];
    readonly url?: string;
    readonly secret?: "url" | "routing_key";
    readonly auth?: NotifyText["alertmanagers"][number]["auth"];
    readonly body?: Readonly<Record<string, unknown>> | undefined;
  },
): Placed {
  const secret = own.secret === undefined ? undefined : readSecret(work, text, path, own.secret);
  const isUrl = own.secret === "url";
  if (isUrl && secret !== undefined) checkUrl(work, secret, text, path);
  const settings = {
    name: text.name ?? own.name,
    type,
    topics: TOPICS.filter((topic) => own.topics.includes(topic)),
    leastSeverity: text.min_severity,
    match: text.match,
    url: own.url,
    secretUrl: isUrl ? secret : undefined,
    routingKey: own.secret === "routing_key" ? secret : undefined,
    auth:
      own.auth === undefined
        ? ({ type: "none" } as const)
        : resolveCredential(work, own.auth, [...path, "auth"]),
    body: own.body === undefined ? undefined : compileBody(work, own.body, [...path, "body"]),
  };
  return { settings, path };
}

/** No message repeats it: whoever reads the problem could post there. */
function checkUrl(work: CredentialWork, url: Secret, text: SecretText, path: YamlPath): void {
  const parsed = URL.parse(url.reveal());
  const isUsable =
    parsed !== null &&
    /^https?:$/.test(parsed.protocol) &&
    parsed.username === "" &&
    parsed.password === "";
  if (isUsable) return;
  const key = text.url_file === undefined ? "url_env" : "url_file";
  work.report({
    id: "config/secret",
    path: [...path, key],
    at: "value",
    message: "what it holds is not an http or https URL, or has a user name or password in it",
  });
}

function reportDuplicates(work: CredentialWork, channels: readonly Placed[]): void {
  const paths = new Map<string, YamlPath>();
  for (const { settings, path } of channels) {
    const earlier = paths.get(settings.name);
    if (earlier === undefined) paths.set(settings.name, path);
    else if (!isKnown(work, path))
      work.report({
        id: "config/duplicate",
        path: [...path, "name"],
        at: "key",
        message: `${earlier.join(".")} has the name "${settings.name}" already`,
        hint: "give each channel a name of its own: it tells what waits for which",
      });
  }
}

function hostName(type: string, text: string): string {
  const host = URL.parse(text)?.host.toLowerCase() ?? "";
  return `${type}-${host.replace(/[^a-z0-9_.-]+/g, "-")}`.slice(0, 63).replace(/-+$/, "");
}
