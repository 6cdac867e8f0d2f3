/** Tests src/config/settings: notify. */
import { describe, expect, it } from "vitest";
import { secretsOf } from "../../../src/config/settings/setting-entries.ts";
import { notifiers } from "../../../src/notifiers/index.ts";
import { UNRECORDED, type Notifier } from "../../../src/notifiers/notifier.ts";
import { revealDestination } from "../../../src/run/notify-destination.ts";
import { alert, batch } from "../../notifiers/batches.ts";
import { placesOf, problemsOf, settingsOf, type Given } from "./settings-text.ts";

const BASE = "aggregators:\n  - base_url: https://aggregator.example/bsc\n";

function given(notify: string, more: Omit<Given, "text"> = {}): Given {
  return { text: `${BASE}notify:\n${notify}`, ...more };
}

function namesIn(example: string, pattern: RegExp): string[] {
  return [...example.matchAll(pattern)].flatMap(([, name]) => name ?? []);
}

const EMAIL = "  email: [{ from: a@b.example, to: [c@d.example],";
const HOOK = { env: { HOOK: "https://hooks.example/services/secret" } };

describe("notify", () => {
  it("has no channels by default", () => {
    const { notify } = settingsOf({ text: BASE });
    expect(notify).toMatchObject({ channels: [], resendMs: 60_000, suppressedAfterMs: 900_000 });
  });

  it("takes Alertmanagers as URLs or as entries, and names them by their host", () => {
    const { notify } = settingsOf(
      given('  alertmanagers: ["http://127.0.0.1:9093", { url: "http://b:1", name: b }]\n'),
    );
    expect(notify.channels.map(({ policy: { name, type }, url }) => [name, type, url])).toEqual([
      ["alertmanager-127.0.0.1-9093", "alertmanager", "http://127.0.0.1:9093"],
      ["b", "alertmanager", "http://b:1"],
    ]);
  });

  it("sends again to those who forget, with what always fires unless it is unwanted", () => {
    const { notify } = settingsOf(
      given(
        "  resend_interval: 2m\n  alertmanagers: [{ url: http://a }, { url: http://b, watchdog: false }]\n  slack: [{ url_env: HOOK }]\n",
        HOOK,
      ),
    );
    const policies = notify.channels.map(({ policy: { resendMs, watchdog } }) => ({
      resendMs,
      watchdog,
    }));
    expect(policies).toEqual([
      { resendMs: 120_000, watchdog: true },
      { resendMs: 120_000, watchdog: undefined },
      { resendMs: undefined, watchdog: undefined },
    ]);
  });

  it("links to the page below its address, without the slashes at its end", () => {
    const text = `${BASE}server: { external_url: "https://a.example//b//" }\n`;
    expect(settingsOf({ text }).notify.pageUrl).toBe("https://a.example//b");
    expect(settingsOf({ text: BASE }).notify.pageUrl).toBeUndefined();
  });

  it("does not say that two have the same name if a name, or the URL that gives it, is misspelt", () => {
    const twice = "  slack: [{ url_env: HOOK, nmae: a }, { url_env: HOOK }]\n";
    expect(placesOf(given(twice, HOOK))).toEqual(["4:28 config/unknown-key"]);
    const urls = "  alertmanagers: [{ ulr: http://a }, { ulr: http://b }]\n";
    expect(placesOf(given(urls)).filter((place) => place.includes("duplicate"))).toEqual([]);
  });

  it("takes Alertmanagers and positions from variables", () => {
    const env = {
      ...HOOK.env,
      AGGWATCH_NOTIFY_ALERTMANAGERS: "http://a:1,http://b:2",
      AGGWATCH_NOTIFY_SLACK_0_URL_ENV: "AGGWATCH_HOOK",
      AGGWATCH_HOOK: "https://hooks.example/x",
      AGGWATCH_NOTIFY_SLACK_1_URL_ENV: "HOOK",
      AGGWATCH_NOTIFY_SLACK_1_NAME: "second",
    };
    const { notify } = settingsOf({ text: BASE, env });
    expect(notify.channels.map(({ policy }) => policy.name)).toEqual([
      "alertmanager-a-1",
      "alertmanager-b-2",
      "slack",
      "second",
    ]);
  });

  it.each(notifiers.map((one): [string, Notifier] => [one.name, one]))(
    "resolves the example of %s to a channel with a request",
    (name, { key, example }) => {
      const secret = "https://secret.example/x";
      const env = namesIn(example, /_env: (\w+)/g);
      const files = namesIn(example, /_file: ([\w/]+)/g);
      const settings = settingsOf(
        given(`  ${key}:\n    - ${example}\n`, {
          env: Object.fromEntries(env.map((one) => [one, secret])),
          files: Object.fromEntries(files.map((one) => [one, secret])),
        }),
      );
      const { notify } = settings;
      const [channel] = notify.channels;
      if (channel === undefined) throw new Error(`notify.${key} gives no channel`);
      expect(channel.policy.type).toBe(name);
      const destination = revealDestination(channel);
      const context = { pageUrl: undefined, unrecorded: false, resendMs: notify.resendMs };
      const { url, body } = channel.notifier.request(batch(alert("OKX")), destination, context);
      expect(URL.canParse(url)).toBe(true);
      expect(JSON.stringify(body)).toContain("OKX");
      expect(secretsOf(settings).includes(secret)).toBe(env.length + files.length > 0);
    },
  );

  it("reads URLs and routing keys from files and variables, and shows none", () => {
    const settings = settingsOf(
      given(
        "  slack: [{ url_env: HOOK }]\n  pagerduty: [{ routing_key_file: key, min_severity: critical }]\n",
        { ...HOOK, files: { "etc/key": "the-routing-key\n" } },
      ),
    );
    const [slack, pagerduty] = settings.notify.channels;
    expect(slack?.secrets["url"]?.reveal()).toBe(HOOK.env.HOOK);
    expect(pagerduty?.secrets["routing_key"]?.reveal()).toBe("the-routing-key");
    expect(pagerduty?.policy).toMatchObject({ leastSeverity: "critical", topics: ["alerts"] });
    expect(JSON.stringify(settings)).not.toMatch(/services\/secret|the-routing-key/);
  });

  it.each([
    ["  slack: [{}]\n", "4:11 config/secret"],
    ["  slack: [{ url_env: NONE }]\n", "4:22 config/secret"],
    ["  slack: [{ url_env: HOOK, url_file: x }]\n", "4:22 config/secret"],
    ["  pagerduty: [{ routing_key: x }]\n", "4:17 config/secret-in-config"],
    ["  slack: [{ url_env: BAD }]\n", "4:22 config/secret"],
    ["  alertmanagers: [not a url]\n", "4:19 config/bad-value"],
    ['  alertmanagers: ["http://u:p@h"]\n', "4:19 config/bad-value"],
    ["  slack: [{ url_env: HOOK, tells: [gossip] }]\n", "4:36 config/bad-value"],
    ["  slack: [{ url_env: HOOK }, { url_env: HOOK }]\n", "4:30 config/duplicate"],
    ["  webhooks: [{ url_env: HOOK, body: { a: '{{ notification.titel }}' } }]\n", undefined],
    [`${EMAIL} url: http://h }]\n`, "4:56 config/bad-value"],
    [`${EMAIL} url: "smtp://u:p@h" }]\n`, "4:56 config/bad-value"],
    [`${EMAIL} url: smtp://h/path }]\n`, "4:56 config/bad-value"],
    ["  email: [{ from: nobody, to: [], url: smtp://h }]\n", "4:19 config/bad-value"],
    [`${EMAIL} url: smtp://h, auth: { type: basic, username: u } }]\n`, "4:66 config/secret"],
    [
      `${EMAIL} url: smtp://h, starttls: optional, auth: { type: basic, username: u, password_env: HOOK } }]\n`,
      "4:76 config/contradiction",
    ],
    ["  resend_interval: soon\n", "4:20 config/bad-value"],
    ["  chat: []\n", "4:3 config/unknown-key"],
  ])("points at what is wrong: %s", (notify, place) => {
    const env = { ...HOOK.env, BAD: "ftp://very-secret.example" };
    const found = given(notify, { env });
    if (place === undefined)
      expect(problemsOf(found)).toMatchObject([{ hint: 'did you mean "title"?' }]);
    else expect(placesOf(found)).toContain(place);
    expect(JSON.stringify(problemsOf(found))).not.toContain("very-secret");
  });

  it("says in a webhook's own body what the notification says, and nothing breaks out of it", () => {
    const { notify } = settingsOf(
      given(
        "  webhooks: [{ url_env: HOOK, body: { text: '{{ notification.title }}!', priority: 5, tags: ['{{ notification.severity }}'] } }]\n",
        HOOK,
      ),
    );
    const words = {
      title: 'x"}],"evil":true,"y":"{{ 1 }}',
      text: "",
      state: "firing",
      severity: "critical",
      aggregator: "bsc",
      alertname: "",
      entity: "",
      link: "",
      count: "1",
      key: "k",
    };
    expect(notify.channels[0]?.body?.render(words)).toEqual({
      text: `${words.title}!`,
      priority: 5,
      tags: ["critical"],
    });
  });

  it("gives in a webhook's own body the number of the notifications of a storm that it has no room for", () => {
    const { notify } = settingsOf(
      given(
        "  webhooks: [{ url_env: HOOK, body: { text: '{{ notification.title + \"\\n\" + notification.text }}' } }]\n",
        HOOK,
      ),
    );
    const [channel] = notify.channels;
    if (channel === undefined) throw new Error("the channel is missing");
    const annotations = { summary: "x".repeat(150) };
    const storm = batch(
      ...Array.from({ length: 100 }, (_, at) => alert(`E${at}`, { annotations })),
    );
    const context = { pageUrl: undefined, resendMs: notify.resendMs, unrecorded: true };
    const { body } = channel.notifier.request(storm, revealDestination(channel), context);
    const [title, ...lines] = (body as { text: string }).text.split("\n");
    const [left, recorded] = lines.splice(-2);
    expect(title).toBe("[FIRING:100] ExchangeDisabled: exchange E0 on bsc and 99 more");
    for (const [at, line] of lines.entries())
      expect(line).toBe(
        `[FIRING] ExchangeDisabled: exchange E${at} on bsc: ${annotations.summary}`,
      );
    expect(lines.length).toBeGreaterThan(15);
    expect(left).toBe(`… and ${100 - lines.length} more`);
    expect(recorded).toBe(UNRECORDED);
  });
});
