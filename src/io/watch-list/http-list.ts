import type { HttpList as HttpListSettings } from "../../config/settings/resolve-watch.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { LONGEST_LIST } from "../../domain/watch.ts";
import { credentialHeaders, type OpenCredential } from "../http/credentials.ts";
import { createSender } from "../http/http-send.ts";
import type { OpenRoute } from "../http/route.ts";
import { createRedactor, type Redactor } from "../redact/redactor.ts";
import { pause } from "../process/pause.ts";

/** A watch list over HTTP, in the format of Prometheus' `http_sd`, with its secrets in the clear. */
export type HttpList = Omit<HttpListSettings, "auth" | "route"> & {
  readonly auth: OpenCredential;
  readonly route?: OpenRoute;
};

/**
 * Requests the list now and every so often, until the signal is aborted. It has a sender of its own, so that no
 * credential of an aggregator ever goes there, and none that acts.
 */
export async function pollHttpList(
  { url, everyMs, timeoutMs, auth, route }: HttpList,
  signal: AbortSignal,
  onBody: (body: Result<string, string>) => void,
  redactor: Redactor = createRedactor(),
): Promise<void> {
  const credential = credentialHeaders(auth);
  if (!credential.ok) return onBody(fail(`auth ${credential.problem}`));
  const { headers, secrets } = credential.value;
  redactor.learn(secrets);
  const { redact } = redactor;
  const timeouts = { connectMs: timeoutMs, responseMs: timeoutMs, requestMs: timeoutMs };
  const sender = createSender({
    timeouts,
    maxBodyBytes: LONGEST_LIST,
    connections: 1,
    keepAlive: false,
    route,
  });
  const request = { method: "GET", url: new URL(url), headers, body: undefined } as const;
  do {
    const sent = await sender.send(request, signal);
    if (signal.aborted) break;
    if (!sent.ok) onBody(fail(redact(sent.problem.message)));
    else if (sent.value.status !== 200) onBody(fail(`status ${sent.value.status} instead of 200`));
    else onBody(redact(sent.value.body) === sent.value.body ? succeed(sent.value.body) : ECHO);
  } while (await pause(everyMs, signal));
  sender.close();
}

const ECHO = fail("the body repeats a secret, and is not read");
