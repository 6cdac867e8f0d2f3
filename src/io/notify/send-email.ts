import { connect, type Socket } from "node:net";
import type { EmailRequest } from "../../notifiers/notifier.ts";
import type { Instant } from "../../domain/time.ts";
import { SECOND } from "../../domain/time.ts";
import type { Timeouts } from "../http/http-send.ts";
import { linkSignals } from "../http/linked-signal.ts";
import type { OpenRoute } from "../http/route.ts";
import { openTunnel, type TunnelTarget } from "../http/tunnel.ts";
import { withinTime, type ConnectLimits } from "../http/within-time.ts";
import { acceptedAttempt, failedAttempt, type EmailAttempt } from "./email-outcome.ts";

/** Email servers check a message before they accept it, so they may take longer than others. */
export const EMAIL_TIMEOUTS: Timeouts = {
  connectMs: 5 * SECOND,
  responseMs: 30 * SECOND,
  requestMs: 60 * SECOND,
};

export type EmailWorld = {
  readonly route: OpenRoute;
  readonly timeouts: Timeouts;
  /** The instant in the Date header. */
  readonly at: Instant;
};

/** Sends an email once, over a connection of its own. Never throws. */
export async function sendEmail(
  { url, envelope, body }: EmailRequest,
  { route, timeouts, at }: EmailWorld,
  signal: AbortSignal,
): Promise<EmailAttempt> {
  const ending = linkSignals(signal);
  const timer = setTimeout(ending.abort, timeouts.requestMs);
  const target = targetOf(url);
  const { from, to, isTlsRequired, login } = envelope;
  const limits = { connectMs: timeouts.connectMs, signal: ending.signal };
  let connection: Socket | undefined;
  try {
    // Loaded only if an email is sent.
    const { createTransport } = await import("nodemailer");
    connection = await openSocket(target, route, limits);
    // Until the library has its own listener.
    connection.on("error", () => undefined);
    const transport = createTransport({
      ...target,
      requireTLS: isTlsRequired,
      tls: { ...route.tls, rejectUnauthorized: true },
      // With a login configured, the library must log in even if the server does not ask for it.
      forceAuth: login !== undefined,
      ...(login === undefined ? {} : { auth: { user: login.username, pass: login.password } }),
      greetingTimeout: timeouts.responseMs,
      socketTimeout: timeouts.responseMs,
      disableFileAccess: true,
      disableUrlAccess: true,
      connection,
    });
    const { subject, text, html, message_id: messageId, references } = body;
    const [inReplyTo] = references;
    const message = { from, to: [...to], date: new Date(at), subject, text, html, messageId };
    const info = await transport.sendMail({
      ...message,
      references: [...references],
      ...(inReplyTo === undefined ? {} : { inReplyTo }),
      // Asks for no automatic replies, such as notices of absence (RFC 3834).
      headers: { "auto-submitted": "auto-generated", "x-auto-response-suppress": "All" },
      signal: ending.signal,
    });
    return acceptedAttempt(info);
  } catch (error) {
    connection?.destroy();
    if (ending.signal.aborted)
      return { outcome: "failed", detail: "timeout: the server takes too long" };
    return failedAttempt(error);
  } finally {
    clearTimeout(timer);
    ending.unlink();
  }
}

function targetOf(text: string): TunnelTarget & { readonly secure: boolean } {
  const url = new URL(text);
  const secure = url.protocol === "smtps:";
  const port = url.port === "" ? (secure ? 465 : 587) : Number(url.port);
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port, secure };
}

/** As for all other requests, the system looks up names, or the proxy if there is one. */
function openSocket(
  { host, port }: TunnelTarget,
  { proxy }: OpenRoute,
  limits: ConnectLimits,
): Promise<Socket> {
  if (proxy !== undefined) return openTunnel(proxy, { host, port }, limits);
  const late = "timed out (connect)";
  return withinTime<Socket>({ ...limits, late }, (resolve, refuse) => {
    const socket = connect({ host, port });
    socket.once("connect", () => {
      socket.off("error", refuse);
      resolve(socket);
    });
    socket.once("error", refuse);
    return () => socket.destroy();
  });
}
