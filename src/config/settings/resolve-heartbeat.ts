import type { Millis } from "../../domain/time.ts";
import type { HeartbeatText } from "./heartbeat-schema.ts";
import { readSecret, type CredentialWork } from "./resolve-credential.ts";
import type { Secret } from "./secret.ts";

/** A dead man's switch. */
export type HeartbeatSettings = {
  /** Whoever knows it can ping in our stead. */
  readonly url: Secret;
  readonly everyMs: Millis;
  readonly timeoutMs: Millis;
  readonly needsNotifier: boolean;
};

const PATH = ["notify", "heartbeat"];

/** Undefined where there is none, and where it has a problem, which is reported. */
export function resolveHeartbeat(
  work: CredentialWork,
  text: HeartbeatText | undefined,
): HeartbeatSettings | undefined {
  if (text === undefined) return undefined;
  const url = readSecret(work, text, PATH, "url");
  if (url === undefined) return undefined;
  const parsed = URL.parse(url.reveal());
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    const key = text.url_file === undefined ? "url_env" : "url_file";
    work.report({
      id: "config/bad-value",
      path: [...PATH, key],
      at: "value",
      message: "what it holds is not an http or https URL",
    });
    return undefined;
  }
  return {
    url,
    everyMs: text.every,
    timeoutMs: text.timeout,
    needsNotifier: text.needs_notifier,
  };
}
