/** Tests src/io/notify: send-email and email-outcome. */
import { createServer, type AddressInfo } from "node:net";
import { describe, expect, it, type TestContext } from "vitest";
import { SECOND } from "../../../src/domain/time.ts";
import type { Delivery } from "../../../src/domain/notification.ts";
import type { OpenRoute } from "../../../src/io/http/route.ts";
import { deliver } from "../../../src/io/notify/deliver.ts";
import { sendEmail } from "../../../src/io/notify/send-email.ts";
import { systemClock } from "../../../src/io/process/clock.ts";
import { createRedactor } from "../../../src/io/redact/redactor.ts";
import { email } from "../../../src/notifiers/email.ts";
import { alert, AT, batch, CONTEXT, HOSTILE, PROPOSED, resolved } from "../../notifiers/batches.ts";
import { startProxy } from "../connect-proxy.ts";
import { headerOf, SMTP_USER, startSmtpReceiver, type SmtpAnswers } from "../smtp-receiver.ts";
import { closing, listening, pem } from "../tls-front.ts";

const CA: OpenRoute = { tls: { ca: pem("ca") } };
const TO = "ops@example.com,boss@example.com";
const NEVER = new AbortController().signal;

type Sending = {
  readonly route?: OpenRoute;
  readonly login?: typeof SMTP_USER | undefined;
  readonly starttls?: string;
  readonly given?: ReturnType<typeof batch>;
  readonly responseMs?: number;
  readonly requestMs?: number;
  readonly signal?: AbortSignal;
};

/** One delivery, without retries, as the daemon makes it. */
async function send(url: string, change: Sending = {}): Promise<Delivery | undefined> {
  const { route = CA, starttls = "required", given = batch(alert("BINANCE")) } = change;
  const { responseMs = 5 * SECOND, requestMs = 10 * SECOND, signal = NEVER } = change;
  const login = "login" in change ? change.login : SMTP_USER;
  const options = { from: "aggwatch@example.com", to: TO, starttls };
  const destination = { url, headers: {}, secrets: {}, options, login };
  const timeouts = { connectMs: SECOND, responseMs, requestMs };
  const sender = {
    send: () => Promise.reject(new Error("an email is not an HTTP request")),
    sendEmail: (request: Parameters<typeof sendEmail>[0], giveUp: AbortSignal) =>
      sendEmail(request, { route, timeouts, at: AT }, giveUp),
  };
  const { redact } = createRedactor([SMTP_USER.password]);
  const world = { sender, clock: systemClock(0), random: () => 0, redact, signal };
  const retries = { limit: 0, firstDelayMs: 1, longestDelayMs: 1 };
  return await deliver(() => email.request(given, destination, CONTEXT), world, retries);
}

describe("an email", () => {
  it.for(["starttls", "implicit"] as const)(
    "is taken by a server with TLS (%s), with user and password",
    async (tls, context) => {
      const server = await startSmtpReceiver(context, { tls });
      const delivery = await send(server.url);
      expect(delivery).toMatchObject({ outcome: "delivered" });
      expect(delivery?.detail).not.toContain("refused");
      expect(server.taken).toMatchObject([
        { secure: true, user: SMTP_USER.username, from: "aggwatch@example.com", to: TO.split(",") },
      ]);
    },
  );

  it("has a text, a little HTML with links, an instant, and says that a machine wrote it", async (context) => {
    const server = await startSmtpReceiver(context);
    await send(server.url);
    const [taken] = server.taken;
    if (taken === undefined) throw new Error("nothing was taken");
    expect(headerOf(taken, "subject")).toBe("[FIRING] ExchangeDisabled: exchange BINANCE on bsc");
    expect(headerOf(taken, "date")).toBe("Fri, 02 Jan 2026 03:04:05 +0000");
    expect(headerOf(taken, "auto-submitted")).toBe("auto-generated");
    expect(headerOf(taken, "content-type")).toContain("multipart/alternative");
    const page = "https://aggwatch.example/#/alert/ExchangeDisabled/bsc/exchange/BINANCE";
    expect(taken.body).toContain(`page: ${page}`);
    expect(taken.body).toContain(`<a href="${page}">page</a>`);
  });

  it("threads: what fired and what has resolved refer to one thread, and come once each", async (context) => {
    const server = await startSmtpReceiver(context);
    await send(server.url);
    await send(server.url);
    await send(server.url, { given: batch(resolved("BINANCE")) });
    await send(server.url, { given: batch(alert("OKX")) });
    const ids = server.taken.map((one) => headerOf(one, "message-id"));
    const threads = server.taken.map((one) => headerOf(one, "references"));
    expect(new Set(ids).size).toBe(3);
    expect(ids[0]).toBe(ids[1]);
    expect(threads[2]).toBe(threads[0]);
    expect(threads[3]).not.toBe(threads[0]);
    expect(headerOf(server.taken[2]!, "in-reply-to")).toBe(threads[0]);
    expect(ids.every((id) => /^<[0-9a-f]{16}\.aggwatch@example\.com>$/.test(id))).toBe(true);
  });

  it("threads: a proposal and what became of it refer to one thread", async (context) => {
    const server = await startSmtpReceiver(context);
    const { proposal: _, ...labels } = PROPOSED.labels;
    const event = (subject: string, change: Partial<typeof PROPOSED>) => {
      const given = batch({ ...PROPOSED, ...change });
      return { ...given, items: given.items.map((item) => ({ ...item, subject })) };
    };
    const other = { ...labels, entity: "OKX" };
    for (const given of [
      event("proposal ExchangeDisabled|bsc/exchange/BINANCE", {}),
      event("remediation r1", { word: "sent", labels }),
      event("remediation r1", { word: "verified", labels }),
      event("remediation r2", { word: "sent", labels: other }),
    ])
      await send(server.url, { given });
    const threads = server.taken.map((one) => headerOf(one, "references"));
    expect(threads).toEqual([threads[0], threads[0], threads[0], threads[3]]);
    expect(threads[3]).not.toBe(threads[0]);
    expect(new Set(server.taken.map((one) => headerOf(one, "message-id"))).size).toBe(4);
  });

  it("lets no name break out into a header, an address or markup", async (context) => {
    const server = await startSmtpReceiver(context);
    const evil = "x\r\nBcc: evil@evil.example\r\n\r\n<script>alert(1)</script>";
    const given = batch(alert(evil), alert(HOSTILE));
    expect(await send(server.url, { given })).toMatchObject({ outcome: "delivered" });
    const [taken] = server.taken;
    expect(taken?.to).toEqual(TO.split(","));
    expect(taken?.raw.split("\r\n\r\n", 1)[0]).not.toMatch(/^bcc/im);
    const [, html = ""] = taken?.body.split("text/html") ?? [];
    expect(html).toContain("&lt;script&gt;");
    expect(html).not.toContain("<script>");
  });

  it("goes through a proxy, which sees neither the password nor the text", async (context) => {
    const server = await startSmtpReceiver(context);
    const proxy = await startProxy();
    context.onTestFinished(proxy.close);
    const route = { ...CA, proxy: { host: proxy.host, port: proxy.port } };
    expect(await send(server.url, { route })).toMatchObject({ outcome: "delivered" });
    expect(proxy.asked.map(({ authority }) => authority)).toEqual([`127.0.0.1:${server.port}`]);
    expect(proxy.carried()).not.toMatch(/BINANCE|AUTH/);
  });

  it("goes to the usual port of its protocol if the URL names none", async (context) => {
    const proxy = await startProxy({ answers: 403 });
    context.onTestFinished(proxy.close);
    const route = { ...CA, proxy: { host: proxy.host, port: proxy.port } };
    for (const url of ["smtp://mail.example", "smtps://mail.example", "smtp://[fd00::1]:25"])
      await send(url, { route });
    const asked = proxy.asked.map(({ authority }) => authority);
    expect(asked).toEqual(["mail.example:587", "mail.example:465", "[fd00::1]:25"]);
  });

  it("goes to a server that is named by an address of IPv6", async (context) => {
    const server = createServer((socket) => {
      socket.on("error", () => undefined).end("421 4.3.2 not now\r\n");
    });
    const hasIPv6 = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(0, "::1", () => resolve(true));
    });
    if (!hasIPv6) context.skip("no IPv6 here");
    context.onTestFinished(() => closing(server, []));
    const { port } = server.address() as AddressInfo;
    expect(await send(`smtp://[::1]:${port}`)).toMatchObject({
      detail: expect.stringContaining("421"),
    });
  });

  it("is not sent without the login that is set, though the server asks for none", async (context) => {
    const server = await startSmtpReceiver(context, { isLoginRequired: false });
    expect(await send(server.url)).toMatchObject({ outcome: "denied" });
    expect(server.taken).toEqual([]);
  });

  it("goes in the clear only if it may", async (context) => {
    const server = await startSmtpReceiver(context, { tls: "none", isLoginRequired: false });
    const refused = await send(server.url, { login: undefined });
    expect(refused).toMatchObject({
      outcome: "denied",
      detail: expect.stringMatching(
        /^STARTTLS .*; the server offers no TLS: see starttls and url$/,
      ),
    });
    expect(server.taken).toEqual([]);
    const open = await send(server.url, { login: undefined, starttls: "optional" });
    expect(open).toMatchObject({ outcome: "delivered" });
    expect(server.taken).toMatchObject([{ secure: false }]);
  });

  it("uses TLS if it is offered, though it need not be", async (context) => {
    const server = await startSmtpReceiver(context, { isLoginRequired: false });
    await send(server.url, { login: undefined, starttls: "optional" });
    expect(server.taken).toMatchObject([{ secure: true }]);
  });
});

describe("a server that does not take an email", () => {
  it.for([
    ["starttls", "server", {}],
    ["implicit", "server", {}],
    ["starttls", "expired", CA],
    ["implicit", "other-name", CA],
  ] as const)(
    "is not trusted (%s, %s), and hears no password",
    async ([tls, certificate, route], context) => {
      const server = await startSmtpReceiver(context, { tls, certificate });
      const delivery = await send(server.url, { route });
      expect(delivery).toMatchObject({
        outcome: "failed",
        detail: expect.stringMatching(/^connect: TLS is not trusted/),
      });
      expect(server.taken).toEqual([]);
    },
  );

  const boss = (said: readonly [number, string]) => (address: string) =>
    address.startsWith("boss") ? said : undefined;

  it.for([
    ["a full disk", { data: [452, "4.3.1 no room"] }, "failed", /452/],
    ["greylisting", { to: () => [450, "4.2.0 greylisted"] }, "failed", /450/],
    ["too many connections", { connect: [421, "4.7.0 too many"] }, "failed", /421/],
    ["a message that it does not like", { data: [554, "5.7.1 spam"] }, "refused", /554/],
    ["a sender that it does not know", { from: [550, "5.1.8 who?"] }, "denied", /MAIL FROM 550/],
    ["a sender over its quota", { from: [552, "5.2.2 quota"] }, "denied", /MAIL FROM 552/],
    ["nobody whom it knows", { to: () => [550, "5.1.1 no user"] }, "denied", /RCPT TO 550/],
    ["a full mailbox", { to: () => [552, "5.2.2 mailbox full"] }, "denied", /RCPT TO 552/],
    [
      "a mailbox that is full at the end",
      { data: [552, "5.2.2 mailbox full"] },
      "denied",
      /DATA 552/,
    ],
    ["a message that is too large", { data: [552, "5.3.4 too large"] }, "refused", /DATA 552/],
    [
      "one whom it does not know",
      { to: boss([550, "5.1.1 no user"]) },
      "delivered",
      /1 of 2.*boss@/,
    ],
    ["one now, one later", { to: boss([450, "4.2.0 later"]) }, "delivered", /1 of 2.*450/],
  ] as ReadonlyArray<[string, SmtpAnswers, string, RegExp]>)(
    "says why: %s",
    async ([, answers, outcome, detail], context) => {
      const server = await startSmtpReceiver(context);
      server.answers = answers;
      const delivery = await send(server.url);
      expect(delivery).toMatchObject({ outcome, detail: expect.stringMatching(detail) });
      expect(delivery?.detail).not.toContain("starttls");
    },
  );

  it.for(TO.split(","))(
    "counts as down if one of several recipients (%s) may be accepted later, and the others never",
    async (later, context) => {
      const server = await startSmtpReceiver(context);
      server.answers = { to: (address) => [address === later ? 450 : 550, "no"] };
      expect(await send(server.url)).toMatchObject({ outcome: "failed" });
    },
  );

  it("knows another password, which is not shown though the server repeats it", async (context) => {
    const server = await startSmtpReceiver(context);
    const login = { ...SMTP_USER, username: "somebody" };
    const delivery = await send(server.url, { login });
    expect(delivery).toMatchObject({ outcome: "denied", detail: expect.stringContaining("535") });
    expect(delivery?.detail).toContain("[redacted]");
    expect(delivery?.detail).not.toContain(SMTP_USER.password);
  });

  it.for(["connect", "from", "data"] as const)(
    "hangs at %s, and is given up",
    async (step, context) => {
      const server = await startSmtpReceiver(context);
      server.answers = { [step]: "hang" };
      const delivery = await send(server.url, { responseMs: 300 });
      expect(delivery).toMatchObject({
        outcome: "failed",
        detail: expect.stringMatching(/^timeout/),
      });
    },
  );

  it("says a word now and then, forever, and is given up", async (context) => {
    const drip = createServer((socket) => {
      const timer = setInterval(() => socket.write("220-not yet\r\n"), 50);
      socket.on("close", () => clearInterval(timer)).on("error", () => undefined);
    });
    const port = await listening(drip);
    context.onTestFinished(() => closing(drip, []));
    const delivery = await send(`smtp://127.0.0.1:${port}`, { requestMs: 400 });
    expect(delivery).toMatchObject({
      outcome: "failed",
      detail: expect.stringMatching(/^timeout/),
    });
  });

  it("is not there", async (context) => {
    const gone = createServer();
    const port = await listening(gone);
    await closing(gone, []);
    context.onTestFinished(() => undefined);
    expect(await send(`smtp://127.0.0.1:${port}`)).toMatchObject({
      outcome: "failed",
      detail: "connect: cannot connect (ECONNREFUSED)",
    });
  });

  it("is left alone once the channel stops", async (context: TestContext) => {
    const server = await startSmtpReceiver(context);
    const stopping = new AbortController();
    server.answers = {
      to: () => {
        stopping.abort();
        return "hang";
      },
    };
    expect(await send(server.url, { signal: stopping.signal })).toBeUndefined();
  });
});
