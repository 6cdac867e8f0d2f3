import { errorCode } from "../../io/http/error-code.ts";
import { tlsFailure } from "../../io/http/tls-failure.ts";
import { messageOf } from "../../domain/error-message.ts";

/** Whether a refusal says why; all refusals by aggwatch do. */
export function saysWhy(decoded: unknown): boolean {
  const isObject = typeof decoded === "object" && decoded !== null;
  return isObject && "error" in decoded && typeof decoded.error === "string";
}

/** The CAs that Node trusts besides the public ones; no command shows a certificate of its own. */
const TLS_NAMES = { ca: "NODE_EXTRA_CA_CERTS", cert: "commands have none" };

/** What kept a request from being answered, in one line. */
export function whyNoAnswer(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const causes = cause instanceof Error ? [cause] : [];
  return tlsFailure(errorCode(causes), causes, TLS_NAMES)?.message ?? messageOf(cause);
}
