import { copyFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, type TestContext } from "vitest";
import { DEFAULT_LIQUIDATIONS } from "../../src/simulator/model/default-world.ts";
import { headerOf, SMTP_USER, startSmtpReceiver, type TakenEmail } from "../io/smtp-receiver.ts";
import { FIXTURES } from "../io/tls-front.ts";
import { startAggregator } from "./aggregator.ts";
import { makeHome, runCli, startDaemon } from "./daemon.ts";
import { ACT_KEY, QUICK_RULES, quickConfig } from "./quick.ts";

const [ORDER] = DEFAULT_LIQUIDATIONS;
const PAGE = "https://aggwatch.example";

/** A daemon that proposes, and tells by email alone. */
async function begin(context: TestContext) {
  const aggregator = await startAggregator(context);
  const server = await startSmtpReceiver(context);
  const watch = `    watch: { liquidations: [{ id: "${ORDER}", alias: margin-call }] }`;
  const config = `${quickConfig({ url: aggregator.url, mode: "propose", watch })}
server: { external_url: "${PAGE}" }
notify:
  email:
    - url: ${server.url}
      from: aggwatch@example.com
      to: [ops@example.com]
      auth: { type: basic, username: ${SMTP_USER.username}, password_file: smtp-password }
      tls: { ca_file: ca.pem }
`;
  const home = makeHome(context, config, QUICK_RULES);
  const beside = dirname(home.config);
  writeFileSync(join(beside, "smtp-password"), `${SMTP_USER.password}\n`);
  copyFileSync(join(FIXTURES, "ca.pem"), join(beside, "ca.pem"));
  return { aggregator, server, home };
}

const says =
  (...words: readonly string[]) =>
  (email: TakenEmail) =>
    words.every((word) => `${headerOf(email, "subject")}\n${email.body}`.includes(word));

test("people get an email that an alert fires and one that it has resolved, in one thread", async (context) => {
  const { aggregator, server, home } = await begin(context);
  const daemon = await startDaemon(context, home, ACT_KEY);
  // The first is refused for now, so nothing is lost and it comes with the second try.
  server.answers = { from: [451, "4.3.2 try again"] };
  aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
  await daemon.line(({ outcome, detail }) => outcome === "failed" && /451/.test(String(detail)));
  server.answers = {};
  const firing = await server.email(says("[FIRING]", "ExchangeDisabled", "BINANCE"));
  expect(firing).toMatchObject({ secure: true, user: SMTP_USER.username, to: ["ops@example.com"] });
  expect(firing.body).toContain(`${PAGE}/#/alert/ExchangeDisabled/sim/exchange/BINANCE`);
  aggregator.control({ do: "enable_exchange", exchange: "BINANCE" });
  const resolved = await server.email(says("RESOLVED", "ExchangeDisabled", "BINANCE"));
  const threads = headerOf(resolved, "references").split(" ");
  expect(
    headerOf(firing, "references")
      .split(" ")
      .some((id) => threads.includes(id)),
  ).toBe(true);
  const shown = JSON.stringify([daemon.lines, await daemon.status(), await daemon.metrics()]);
  expect(shown).not.toContain(SMTP_USER.password);
});

test("an email about a proposal links to where it is decided, and has the command", async (context) => {
  const { server, home } = await begin(context);
  await startDaemon(context, home, ACT_KEY);
  const proposed = await server.email(says("aggwatch approve"));
  const [, id] = /aggwatch approve (\S+)/.exec(proposed.body) ?? [];
  expect(proposed.body).toContain(`decide: ${PAGE}/#${id}\r\n`);
  expect(proposed.body).toContain(`<a href="${PAGE}/#${id}">decide</a>`);
});

test("aggwatch notify test sends an email, and says what the server answered", async (context) => {
  const { server, home } = await begin(context);
  const args = ["notify", "test", "--config", home.config, "--rules", home.rules];
  const taken = await runCli(context, args, ACT_KEY);
  expect(taken).toMatchObject({
    code: 0,
    out: expect.stringMatching(/email +email +delivered/),
  });
  expect(server.taken.map((email) => headerOf(email, "subject"))).toEqual([
    "[TEST] This is a test of aggwatch's notifications",
  ]);
  server.answers = { to: () => [550, "5.1.1 nobody of that name"] };
  const refused = await runCli(context, args, ACT_KEY);
  expect(refused).toMatchObject({
    code: 1,
    out: expect.stringMatching(/denied.*RCPT TO 550.*nobody of that name/),
  });
});
