import type { Millis } from "../../domain/time.ts";
import type { NotifyText } from "./notify-schema.ts";
import { readSecret, secretKey } from "./resolve-credential.ts";
import { resolveRoute, type Route } from "./resolve-route.ts";
import type { Resolving } from "./resolving.ts";
import type { Secret } from "./secret.ts";

/** A dead man's switch. */
export type HeartbeatSettings = {
  /** A secret: with it, others can ping in our stead. */
  readonly url: Secret;
  readonly route: Route;
  readonly everyMs: Millis;
  readonly timeoutMs: Millis;
  readonly needsNotifier: boolean;
};

const PATH = ["notify", "heartbeat"];

/** Undefined if there is none, and if it has a problem, which is reported. */
export function resolveHeartbeat(
  work: Resolving,
  text: NotifyText["heartbeat"],
): HeartbeatSettings | undefined {
  if (text === undefined) return undefined;
  const url = readSecret(work, text, PATH, "url");
  const route = resolveRoute(work, text, PATH, {
    url: url?.reveal(),
    at: [...PATH, secretKey(text, "url")],
    isSecret: true,
  });
  if (url === undefined) return undefined;
  if (!/^https?:$/.test(URL.parse(url.reveal())?.protocol ?? "")) {
    work.report({
      id: "config/bad-value",
      path: [...PATH, secretKey(text, "url")],
      message: "what it holds is not an http or https URL",
    });
    return undefined;
  }
  return {
    url,
    route,
    everyMs: text.every,
    timeoutMs: text.timeout,
    needsNotifier: text.needs_notifier,
  };
}
