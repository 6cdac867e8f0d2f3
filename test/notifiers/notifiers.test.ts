import { describe, expect, it } from "vitest";
import type { Batch, Destination } from "../../src/domain/notification.ts";
import { notifiers, notifiersByName } from "../../src/notifiers/index.ts";
import { NOTIFIER_NAMES, type NotifierName } from "../../src/notifiers/notifier.ts";
import { pagerduty } from "../../src/notifiers/pagerduty.ts";
import { plain, shortKey } from "../../src/notifiers/wording.ts";
import { alert, batch, CONTEXT, HOSTILE, PROPOSED, resolved } from "./batches.ts";

const destination: Destination = {
  url: "https://receiver.example/base/",
  headers: {},
  routingKey: "routing-key",
};

const many = Array.from({ length: 40 }, (_, index) =>
  alert(`EXCHANGE-${index}`, { annotations: { description: "x".repeat(900) } }),
);

const CASES: Readonly<Record<string, Batch>> = {
  firing: batch(alert("BINANCE", { suppressed: "budget: 5 of 5 used" })),
  resolved: batch(resolved("BINANCE")),
  mixed: batch(alert("OKX"), resolved("BINANCE")),
  storm: { ...batch(...many), behind: 12 },
  hostile: batch(
    alert(HOSTILE, {
      annotations: { description: HOSTILE, summary: HOSTILE },
      labels: { x: HOSTILE },
    }),
  ),
};

function bodyOf(name: NotifierName, given: Batch, context = CONTEXT): string {
  const notifier = notifiersByName.get(name);
  if (notifier === undefined) throw new Error(name);
  return JSON.stringify(notifier.request(given, destination, context).body, null, 2);
}

describe.each(NOTIFIER_NAMES)("the body for %s", (name) => {
  it.each(Object.entries(CASES))("is as written down: %s", async (title, given) => {
    await expect(`${bodyOf(name, given)}\n`).toMatchFileSnapshot(`golden/${name}-${title}.json`);
  });

  it("shows nothing invisible, and no half character", () => {
    const body = bodyOf(name, CASES["hostile"] ?? batch());
    expect(body).not.toMatch(/\\u202e|\\u0000|\\ud800/);
  });

  it("says where the journal cannot be written", () => {
    const context = { ...CONTEXT, unrecorded: true };
    const body = bodyOf(name, batch(alert("BINANCE")), context);
    expect(body).toMatch(/cannot write its journal|"recorded": false/);
  });

  it("has no link where nobody said how the page is reached", () => {
    const body = bodyOf(name, batch(alert("BINANCE")), { ...CONTEXT, pageUrl: undefined });
    expect(body).not.toContain("aggwatch.example");
  });
});

it.each(["webhook", "slack"] as const)(
  "a proposal has its link and its command: %s",
  async (name) => {
    const body = bodyOf(name, batch(PROPOSED));
    expect(body).toContain("https://aggwatch.example/#p7");
    expect(body).toContain("aggwatch approve p7");
    await expect(`${body}\n`).toMatchFileSnapshot(`golden/${name}-proposed.json`);
  },
);

it("names every alert of a storm to those that take many at once", () => {
  for (const name of ["alertmanager", "webhook", "slack"] as const) {
    const body = bodyOf(name, CASES["storm"] ?? batch());
    for (const { entity } of many) expect(body).toContain(entity.id);
  }
});

describe("Slack", () => {
  it("gets no mention, link or call from a name", () => {
    const body = bodyOf("slack", CASES["hostile"] ?? batch());
    expect(body).not.toContain("<!channel>");
    expect(body).not.toContain("<https://evil");
  });

  it("gets no section that is longer than it takes", () => {
    const body: unknown = JSON.parse(bodyOf("slack", CASES["storm"] ?? batch()));
    const { attachments } = body as {
      attachments: Array<{ blocks: Array<{ text?: { text: string } }> }>;
    };
    const blocks = attachments.flatMap((attachment) => attachment.blocks);
    expect(blocks.length).toBeLessThanOrEqual(50);
    for (const { text } of blocks) expect(text?.text.length ?? 0).toBeLessThanOrEqual(3_000);
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

  it("is resolved only when nothing of the group fires any more", () => {
    const still = { ...batch(resolved("OKX")), firing: { total: 3, some: [alert("BINANCE")] } };
    expect(eventOf(still)["event_action"]).toBe("trigger");
    expect(eventOf(batch(resolved("OKX")))["event_action"]).toBe("resolve");
  });
});

it("has one notifier of each name", () => {
  expect(notifiers.map(({ name }) => name)).toEqual(NOTIFIER_NAMES);
});

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
