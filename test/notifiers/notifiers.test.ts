/** Tests src/notifiers/notifier.ts: notifiers. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TOPICS, type Batch } from "../../src/domain/notification.ts";
import { hashOf } from "../../src/console/address.ts";
import { notifiers } from "../../src/notifiers/index.ts";
import type { Destination, Notifier } from "../../src/notifiers/notifier.ts";
import { discord } from "../../src/notifiers/discord.ts";
import { opsgenie } from "../../src/notifiers/opsgenie.ts";
import { telegram } from "../../src/notifiers/telegram.ts";
import { pagerduty } from "../../src/notifiers/pagerduty.ts";
import { slack } from "../../src/notifiers/slack.ts";
import { linkTo, plain, shortKey } from "../../src/notifiers/wording.ts";
import { alert, batch, CONTEXT, DENIED, HOSTILE, PROPOSED, resolved } from "./batches.ts";
import { expectGolden, goldenNames } from "./golden.ts";

const destination: Destination = {
  url: "https://receiver.example/base/",
  headers: {},
  secrets: { routing_key: "routing-key", token: "12:token", topic: "ops", api_key: "api-key" },
  options: { chat_id: "-100" },
};

const many = Array.from({ length: 40 }, (_, index) =>
  alert(`EXCHANGE-${index}`, { annotations: { description: "x".repeat(900) } }),
);

const CASES: Readonly<Record<string, Batch>> = {
  firing: batch(alert("BINANCE", { suppressed: "budget: 5 of 5 used" })),
  resolved: batch(resolved("BINANCE")),
  mixed: batch(alert("OKX"), resolved("BINANCE")),
  storm: { ...batch(...many), behind: 12 },
  // It stands for others that are not sent.
  down: batch(
    alert("bsc", {
      rule: "AggregatorDown",
      entity: { aggregator: "bsc", kind: "aggregator", id: "bsc" },
      mutes: { PollFailing: 6, PollStale: 2 },
    }),
  ),
  hostile: batch(
    alert(HOSTILE, {
      annotations: { description: HOSTILE, summary: HOSTILE },
      labels: { x: HOSTILE },
    }),
  ),
};

/** Those that can express more than alerts also get a proposal, and its end. */
function casesOf({ topics }: Notifier): Array<[string, Batch]> {
  const events: Array<[string, Batch]> = topics.includes("remediations")
    ? [
        ["proposed", batch(PROPOSED)],
        ["denied", batch(DENIED)],
      ]
    : [];
  return [...Object.entries(CASES), ...events];
}

function bodyOf(notifier: Notifier, given: Batch, context = CONTEXT): string {
  return JSON.stringify(notifier.request(given, destination, context).body, null, 2);
}

const byName: ReadonlyArray<[string, Notifier]> = notifiers.map((one) => [one.name, one]);

describe.each(byName)("the body for %s", (name, notifier) => {
  it.each(casesOf(notifier))("is as written down: %s", (title, given) => {
    expectGolden(`${name}-${title}.json`, `${bodyOf(notifier, given)}\n`);
  });

  it("shows nothing invisible, and no half character", () => {
    const body = bodyOf(notifier, CASES["hostile"] ?? batch());
    expect(body).not.toMatch(/\\u202e|\\u0000|\\ud800/);
  });

  it("says if the journal cannot be written", () => {
    const context = { ...CONTEXT, unrecorded: true };
    const body = bodyOf(notifier, batch(alert("BINANCE")), context);
    expect(body).toMatch(/cannot write its journal|"recorded": false/);
  });

  it("links a shipped runbook where the daemon serves it, and any other where it is", () => {
    const runbookOf = (runbook_url: string): string =>
      bodyOf(notifier, batch(alert("BINANCE", { annotations: { summary: "s", runbook_url } })));
    const shipped = runbookOf("docs/runbooks/ExchangeDisabled.md");
    expect(shipped).toContain("https://aggwatch.example/runbooks/ExchangeDisabled");
    expect(shipped).not.toContain("docs/runbooks");
    expect(runbookOf("https://runbooks.example/A.md")).toContain("https://runbooks.example/A.md");
    expect(runbookOf("javascript:alert(1)")).not.toMatch(/href[^,]*javascript/);
  });

  it("links an alert to its own page", () => {
    const body = bodyOf(notifier, batch(alert("BINANCE")));
    expect(body).toContain(
      "https://aggwatch.example/#/alert/ExchangeDisabled/bsc/exchange/BINANCE",
    );
  });

  it("has no link if it is not known how the page is reached", () => {
    const body = bodyOf(notifier, batch(alert("BINANCE")), { ...CONTEXT, pageUrl: undefined });
    expect(body).not.toContain("aggwatch.example");
  });
});

const FEW = ["KRAKEN", "BINANCE", "OKX", "HUOBI", "GATE"];

it.each(byName.filter(([name]) => ["telegram", "discord", "ntfy", "slack"].includes(name)))(
  "names every alert of a few that are long: %s",
  (_, notifier) => {
    for (const letter of ["x", "_", "\u00e9"]) {
      const annotations = { description: letter.repeat(490) };
      const suppressed = letter.repeat(290);
      const given = FEW.map((id) => alert(id, { annotations, suppressed }));
      const longLinks = { ...CONTEXT, pageUrl: `https://${"a".repeat(300)}.example` };
      const body = bodyOf(notifier, batch(...given), longLinks);
      for (const id of FEW) expect(body).toContain(`exchange ${id} on bsc`);
      expect(body).not.toMatch(/… and \d+ more/);
      // The first of them is there in full.
      expect(body).toContain("not repaired");
    }
  },
);

it("has no golden body that belongs to no notifier", () => {
  const wanted = byName.flatMap(([name, one]) =>
    casesOf(one).map(([title]) => `${name}-${title}.json`),
  );
  expect(goldenNames()).toEqual(wanted.sort());
});

it.each(byName.filter(([, { topics }]) => topics.includes("remediations")))(
  "a proposal has its link and its command: %s",
  (_, notifier) => {
    const body = bodyOf(notifier, batch(PROPOSED));
    expect(body).toContain("https://aggwatch.example/#p7");
    expect(body).toContain("aggwatch approve p7");
  },
);

it.each(byName.filter(([, { grouping }]) => grouping === "any"))(
  "names every alert of a storm to those that take many at once: %s",
  (_, notifier) => {
    const body = bodyOf(notifier, CASES["storm"] ?? batch());
    for (const { entity } of many) expect(body).toContain(entity.id);
  },
);

describe("Slack", () => {
  it("gets no mention, link or call from a name", () => {
    const body = bodyOf(slack, CASES["hostile"] ?? batch());
    expect(body).not.toContain("<!channel>");
    expect(body).not.toContain("<https://evil");
  });

  it("gets no section that is longer than it takes", () => {
    const body: unknown = JSON.parse(bodyOf(slack, CASES["storm"] ?? batch()));
    const { attachments } = body as {
      attachments: Array<{ blocks: Array<{ text?: { text: string } }> }>;
    };
    const blocks = attachments.flatMap((attachment) => attachment.blocks);
    expect(blocks.length).toBeLessThanOrEqual(50);
    for (const { text } of blocks) expect(text?.text.length ?? 0).toBeLessThanOrEqual(3_000);
  });
});

describe("Slack, of what grows when it is escaped,", () => {
  const LONG = "&".repeat(190);
  const given = [
    alert(LONG, {
      annotations: { description: "&\u{1f600}".repeat(160), runbook_url: "docs/runbooks/A.md" },
      suppressed: "<".repeat(290),
    }),
    alert("\u{1f600}".repeat(90), { annotations: { description: ">".repeat(490) } }),
  ];
  const sections = (bodyOf(slack, batch(...given)).match(/"text": ".*?",?$/gm) ?? []).join("\n");

  it("cuts no entity and no character in two", () => {
    expect(sections).not.toMatch(/&(?!(?:amp|lt|gt);)/);
    expect(sections.isWellFormed()).toBe(true);
    expect(sections.match(/&gt;/g)).toHaveLength(490);
  });

  it("keeps the links to the runbook and to the page", () => {
    expect(sections).toContain("runbooks/A|runbook>");
    expect(sections.match(/\|page>/g)).toHaveLength(2);
  });
});

describe("PagerDuty", () => {
  const eventOf = (given: Batch): Record<string, unknown> =>
    pagerduty.request(given, destination, CONTEXT).body as Record<string, unknown>;

  it("has the same key for the trigger, for more of them, and for the end", () => {
    const keys = [
      batch(alert("BINANCE")),
      batch(alert("OKX"), resolved("BINANCE")),
      batch(resolved("OKX")),
    ].map((given) => eventOf(given)["dedup_key"]);
    expect(new Set(keys)).toEqual(new Set(["aggwatch/bsc/ExchangeDisabled"]));
  });

  it("is another incident in each unit of senders, as none knows what fires in the others", () => {
    const keyOf = (unit?: string): unknown =>
      eventOf({ ...batch(alert("BINANCE")), unit })["dedup_key"];
    expect([keyOf(), keyOf("senders/1"), keyOf("senders/2")]).toEqual([
      "aggwatch/bsc/ExchangeDisabled",
      "aggwatch/bsc/ExchangeDisabled/senders/1",
      "aggwatch/bsc/ExchangeDisabled/senders/2",
    ]);
  });

  it("is resolved only when nothing of the group fires any more", () => {
    const still = { ...batch(resolved("OKX")), firing: { total: 3, some: [alert("BINANCE")] } };
    expect(eventOf(still)["event_action"]).toBe("trigger");
    expect(eventOf(batch(resolved("OKX")))["event_action"]).toBe("resolve");
  });

  it("reports one that fires, though the batch begins with one that has ended", () => {
    const given = batch(resolved("OKX"), alert("BINANCE", { severity: "warning" }));
    expect(eventOf(given)["payload"]).toMatchObject({
      summary: expect.stringContaining("exchange BINANCE on bsc"),
      severity: "warning",
      custom_details: { resolved: ["exchange OKX on bsc"] },
    });
  });

  it("names no more than twenty that have ended", () => {
    const ended = Array.from({ length: 30 }, (_, index) => resolved(`E-${index}`));
    const { custom_details: details } = eventOf(batch(alert("BINANCE"), ...ended))["payload"] as {
      readonly custom_details: { readonly resolved: readonly string[] };
    };
    expect(details.resolved).toHaveLength(20);
  });
});

it("has one notifier of each name, one of each key, and topics in the order of the docs", () => {
  const names = notifiers.map(({ name }) => name);
  const keys = notifiers.map(({ key }) => key);
  expect([...new Set(names)]).toEqual(names);
  expect([...new Set(keys)]).toEqual(keys);
  for (const [, { topics }] of byName)
    expect(topics).toEqual(TOPICS.filter((topic) => topics.includes(topic)));
});

/** Imported by name, so that one that is in the folder alone is not forgotten in silence. */
const folder = join(import.meta.dirname, "../../src/notifiers");

it.each(readdirSync(folder))("lists the notifier of every file: %s", async (file) => {
  const exported: unknown[] = Object.values(await import(join(folder, file)));
  const unlisted = exported.filter(
    (one) => isNotifier(one) && !notifiers.some((known) => known === one),
  );
  expect(unlisted, `src/notifiers/index.ts does not list what ${file} exports`).toEqual([]);
});

function isNotifier(value: unknown): boolean {
  return typeof value === "object" && value !== null && "request" in value;
}

describe("wording", () => {
  it("keeps keys that are too long apart", () => {
    const one = shortKey(`${"a".repeat(300)}1`, 255);
    const other = shortKey(`${"a".repeat(300)}2`, 255);
    expect(one).toHaveLength(255);
    expect(one).not.toBe(other);
    expect(shortKey("short", 255)).toBe("short");
  });

  it("cuts no character in two", () => {
    expect(plain("ab\u{1f600}cd", 4)).toBe("ab\ufffd…");
  });
});

describe("Telegram", () => {
  it("is asked as the bot, and told of no more than a message holds", () => {
    const { url } = telegram.request(batch(), destination, CONTEXT);
    expect(url).toBe("https://receiver.example/base/bot12:token/sendMessage");
    const long = batch(...many.map((one) => ({ ...one, rule: "R".repeat(300) })));
    const { text } = telegram.request(long, destination, CONTEXT).body as { text: string };
    expect(text.length).toBeLessThanOrEqual(4_096);
    expect(text).toMatch(/… and \d+ more$/);
  });
});

describe("Telegram, which looks for them in plain text,", () => {
  const textOf = (name: string): string => {
    const given = batch(alert(name, { annotations: { description: `${name} is down` } }));
    return (telegram.request(given, destination, CONTEXT).body as { text: string }).text;
  };

  it.each([
    ["a mention", "@oncall_lead", /@\w/],
    ["a mention in a text", "mail ops@evil.example now", /@\w|\w\.\w/],
    ["a link", "https://evil.example/login", /:\/\/|evil\.example/],
    ["a link without a scheme", "evil.example", /evil\.example/],
    ["a link to an address", "http://10.1.2.3/x", /\d+\.\d+\.\d+\.\d+/],
    ["a link into Telegram", "tg://resolve?domain=evil", /tg:\/\//],
    ["a command", "/stop", /\/stop/],
    ["a hashtag", "#sale", /#sale/],
  ])("finds no %s in a name", (_, name, found) => {
    const [, ...links] = textOf(name).split("\npage: ");
    expect(textOf(name).replace(`\npage: ${links.join("")}`, "")).not.toMatch(found);
    // Nothing else was changed in it.
    expect(textOf(name).replaceAll("\u2060", "")).toContain(`${name} is down`);
  });

  it("finds our own links, and a name that needs nothing is sent as it is", () => {
    const text = textOf("OrionV2/ORN-USDT 0.25");
    expect(text).toContain("https://aggwatch.example/#/alert/ExchangeDisabled/");
    expect(text).not.toContain("\u2060");
  });
});

describe("Opsgenie", () => {
  it("closes by its alias the alert that it created", () => {
    const created = opsgenie.request(batch(alert("BINANCE")), destination, CONTEXT);
    expect(created.url).toBe("https://receiver.example/base/v2/alerts");
    expect(created.headers).toEqual({ authorization: "GenieKey api-key" });
    const { alias } = created.body as { alias: string };
    const closed = opsgenie.request(batch(resolved("BINANCE")), destination, CONTEXT);
    expect(closed.url).toBe(
      `https://receiver.example/base/v2/alerts/${encodeURIComponent(alias)}/close?identifierType=alias`,
    );
  });
});

describe("Discord", () => {
  it("gets no mention, Markdown or masked link from a name", () => {
    const body = bodyOf(discord, CASES["hostile"] ?? batch());
    expect(body).not.toContain("|click>");
    expect(body).toContain('"parse": []');
  });
});

describe("the link of an alert", () => {
  const PAGE = "https://aggwatch.example";

  it("is its own page in the console, whatever it is called", () => {
    for (const id of ["BINANCE", "OrionV2/ORN-USDT", HOSTILE]) {
      const own = hashOf(["alert", "ExchangeDisabled", "bsc", "exchange", id.toWellFormed()]);
      expect(linkTo(alert(id), PAGE)).toBe(`${PAGE}/${own}`);
    }
  });

  it("is the list of its rule if that address were too long", () => {
    expect(linkTo(alert("x".repeat(500)), PAGE)).toBe(
      `${PAGE}/#/alerts?alertname=ExchangeDisabled`,
    );
  });
});

describe.each(byName.filter(([, { topics }]) => topics.includes("remediations")))(
  "a proposal, as %s has it",
  (_, notifier) => {
    const proposal = (facts: string): string => {
      const detail = `p7 expires at 2026-01-02T03:34:05.000Z: forceCancel; ${facts}`;
      const id = `0x${"5f".repeat(32)}`;
      const title = `force_cancel_order of liquidation ${id} on bsc-mainnet waits for a person`;
      return bodyOf(notifier, batch({ ...PROPOSED, title, detail }));
    };

    it("says all facts of what is to be approved", () => {
      const facts = Array.from({ length: 18 }, (_fact, index) => `fact-${index} 0123456789abcdef`);
      expect(proposal(`${facts.join(" · ")} · status PARTIALLY-FILLED`)).toContain(
        "status PARTIALLY-FILLED",
      );
    });

    it("leads to where it is decided, and has the command only if all facts are shown", () => {
      expect(proposal("status NEW END")).toMatch(/END.*aggwatch approve p7.*#p7/s);
      for (const hostile of ["&", "<", ">", "_", "*", "\\", "\u0410"]) {
        const shown = proposal(`${hostile.repeat(2_000)} END`);
        expect(shown).toContain("#p7");
        expect(shown.includes("aggwatch approve p7"), hostile).toBe(shown.includes("END"));
      }
      // A fact that is cut by itself (shownText of the core) is not the end of the text.
      expect(proposal("side x… · status NEW END")).not.toContain("aggwatch approve p7");
    });
  },
);

it("discord says the whole head of what it has no room for in the title", () => {
  const id = "a_b*".repeat(45);
  const body = bodyOf(discord, batch(alert(id)));
  expect(JSON.parse(body)).toMatchObject({
    embeds: [{ description: expect.stringContaining("on bsc") }],
  });
  const [embed] = (JSON.parse(body) as { embeds: Array<{ title: string }> }).embeds;
  expect(embed?.title.length).toBeLessThanOrEqual(256);
  expect(embed?.title).not.toMatch(/(?<!\\)(?:\\\\)*\\…$/);
});
