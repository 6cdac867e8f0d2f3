import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { createEvents, type Events, type Finishing } from "../acceptance/events.ts";
import { pem } from "./tls-front.ts";

export const SMTP_USER = { username: "aggwatch", password: "smtp-passw0rd" };

/** An email as a server took it. */
export type TakenEmail = {
  readonly from: string;
  readonly to: readonly string[];
  /** As it came: headers and parts. */
  readonly raw: string;
  /** Its parts with long lines joined again. */
  readonly body: string;
  /** It came by TLS, and from a user who gave a password. */
  readonly secure: boolean;
  readonly user: string | undefined;
};

export type SmtpReceiver = {
  readonly port: number;
  /** `smtp://`, or `smtps://` if it speaks TLS from the start. */
  readonly url: string;
  readonly taken: readonly TakenEmail[];
  /** The first email, of those there were and those to come, that fits. */
  readonly email: Events<TakenEmail>["first"];
  /** What it says to each step of the protocol from now on; undefined: yes. Rejecting with null: nothing, ever. */
  answers: SmtpAnswers;
};

/** A step's refusal, as `[550, "no such user"]`; `hang`: no answer at all. */
export type SmtpAnswer = readonly [code: number, text: string] | "hang" | undefined;

export type SmtpAnswers = {
  readonly connect?: SmtpAnswer;
  readonly from?: SmtpAnswer;
  readonly to?: (address: string) => SmtpAnswer;
  /** Once the message is there as a whole. */
  readonly data?: SmtpAnswer;
};

export type SmtpOptions = {
  /** `none`: it offers no TLS. */
  readonly tls?: "starttls" | "implicit" | "none";
  /** As those of a TLS front. */
  readonly certificate?: string;
  readonly isLoginRequired?: boolean;
};

type Taking = Parameters<NonNullable<SMTPServerOptions["onData"]>>;

/** A real SMTP server that can refuse, hang, and show a wrong certificate. */
export async function startSmtpReceiver(
  context: Finishing,
  { tls = "starttls", certificate = "server", isLoginRequired = true }: SmtpOptions = {},
): Promise<SmtpReceiver> {
  const events = createEvents<TakenEmail>(context, "email");
  const options: SMTPServerOptions = {
    secure: tls === "implicit",
    key: pem("server-key"),
    cert: pem(certificate),
    authOptional: !isLoginRequired,
    allowInsecureAuth: false,
    disabledCommands: [
      ...(tls === "none" ? ["STARTTLS" as const] : []),
      ...(isLoginRequired ? [] : ["AUTH" as const]),
    ],
    disableReverseLookup: true,
    closeTimeout: 1,
    onConnect: (_session, callback) => answer(receiver.answers.connect, callback),
    onAuth: ({ username, password }, _session, callback) =>
      username === SMTP_USER.username && password === SMTP_USER.password
        ? callback(null, { user: username })
        : callback(refusal([535, `5.7.8 not you, ${password}`])),
    onMailFrom: (_address, _session, callback) => answer(receiver.answers.from, callback),
    onRcptTo: ({ address }, _session, callback) => answer(receiver.answers.to?.(address), callback),
    onData: (stream, session, callback) => void take(stream, session, callback),
  };
  async function take(...[stream, session, callback]: Taking): Promise<void> {
    const { envelope, secure, user } = session;
    const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
    const to = envelope.rcptTo.map(({ address }) => address);
    const raw = await text(stream);
    if (receiver.answers.data === undefined)
      events.add({ from, to, raw, body: bodyOf(raw), secure, user: user as string | undefined });
    answer(receiver.answers.data, callback);
  }

  const server = new SMTPServer(options);
  // A client that does not trust it, or gives up, ends the connection in the middle of something.
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  context.onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const connection of server.connections) connection._socket.destroy();
      }),
  );
  const url = `${tls === "implicit" ? "smtps" : "smtp"}://127.0.0.1:${port}`;
  const receiver: SmtpReceiver = {
    port,
    url,
    taken: events.all,
    email: events.first,
    answers: {},
  };
  return receiver;
}

function answer(said: SmtpAnswer, callback: (error?: Error | null) => void): void {
  if (said === "hang") return;
  callback(said === undefined ? null : refusal(said));
}

/** Quoted-printable, as it came (RFC 2045, 6.7). */
function bodyOf(raw: string): string {
  return raw
    .slice(raw.indexOf("\r\n\r\n"))
    .replaceAll("=\r\n", "")
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}

function refusal([responseCode, said]: readonly [number, string]): Error {
  return Object.assign(new Error(said), { responseCode });
}

/** A header of an email, unfolded; empty if it has none. */
export function headerOf({ raw }: TakenEmail, name: string): string {
  const [head = ""] = raw.split("\r\n\r\n", 1);
  const unfolded = head.replace(/\r\n[ \t]+/g, " ");
  return new RegExp(`^${name}: (.*)$`, "im").exec(unfolded)?.[1] ?? "";
}
