import { describe, expect, it } from "vitest";
import { findBrowser } from "../browser.ts";
import { TOKEN } from "../tokens.ts";
import { EXCHANGE, useBusyConsole } from "./busy-console.ts";

const browserPath = findBrowser("the past in a browser");

describe.skipIf(browserPath === undefined)("the past of ten thousand senders", () => {
  const { open, urlOf, past } = useBusyConsole(browserPath, 10_000);

  it("turns back time on every view, says so, lets nothing be done then, and comes back to now", async () => {
    const { page, complaints } = await open();
    await page.goto(urlOf(`#/entity/${EXCHANGE}`));
    await page.getByRole("button", { name: "Hold" }).waitFor();
    await page.getByRole("button", { name: "Look back" }).click();
    await page.getByRole("slider", { name: "Instant" }).focus();
    await page.keyboard.press("Home");
    await page.getByText(/^This is the past: 20\d\d-/).waitFor();
    const seen: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/api/v1/")) seen.push(request.url());
    });
    await page.keyboard.press("ArrowRight");
    await page
      .getByText("What happened")
      .or(page.getByText("was not known then"))
      .first()
      .waitFor();
    expect(page.url()).toMatch(/\?at=20\d\d-/);
    expect(await page.getByRole("button", { name: "Hold" }).count()).toBe(0);
    expect(await page.getByText("Operate").count()).toBe(0);
    expect(await page.title()).toBe("the past – aggwatch");
    // Every link stays in the past, and nothing of the present is asked for.
    await page.goto(urlOf(`#/entity/${EXCHANGE}?at=${past()}`));
    await page.getByRole("heading", { name: /^What happened/ }).waitFor();
    await page.getByRole("link", { name: "Alerts", exact: true }).click();
    await page.getByText(/^5\d\d alerts$/).waitFor();
    expect(page.url()).toContain("at=20");
    expect(seen.length).toBeGreaterThan(3);
    expect(seen.filter((url) => !url.includes("at=20"))).toEqual([]);
    await page.getByRole("button", { name: "Back to now" }).click();
    await page.getByText("Operate").waitFor();
    expect(page.url()).not.toContain("at=");
    expect(await page.getByText("This is the past").count()).toBe(0);
    // What the slider passed before anything was known is refused, which a browser always logs.
    expect(complaints.filter((text) => !/status of (?:404|410)/.test(text))).toEqual([]);
    await page.close();
  });

  it("leads from a stretch of an entity's past to the instant at which it began", async () => {
    const { page } = await open();
    const from = new Date(Date.parse(past()) - 1_000).toISOString();
    await page.route(/EXCHANGE-0\/history/, async (route) => {
      const bands = [{ from, until: past(), condition: "bad", status: "disabled" }];
      const of = { key: EXCHANGE, from, until: past(), recorded_since: null };
      await route.fulfill({ json: { ...of, bands, bucket_ms: 1_000, facts: [] } });
    });
    await page.goto(urlOf(`#/entity/${EXCHANGE}?at=${past()}&span=1h`));
    await page.getByText("1 stretch").click();
    const link = page.getByRole("row").filter({ hasText: "disabled" }).getByRole("link");
    const query = new URLSearchParams({ at: from, span: "1h" });
    expect(await link.getAttribute("href")).toBe(`#/entity/${EXCHANGE}?${query.toString()}`);
    await page.close();
  });

  it("comes to the present at the end of its slider", async () => {
    const { page } = await open();
    // Then each of its steps is a minute.
    const since = new Date(Date.parse(past()) - 3 * 3_600_000).toISOString();
    await page.route(/api\/v1\/overview/, async (route) => {
      const overview = (await (await route.fetch()).json()) as object;
      await route.fulfill({ json: { ...overview, kept_since: since } });
    });
    await page.goto(urlOf(`#/alerts?at=${past()}`));
    await page.getByText(/^This is the past: 20\d\d-/).waitFor();
    await page.locator('input[type="range"][step="60000"]').focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("End");
    await page.getByText("This is the past").waitFor({ state: "detached" });
    await page.getByText("Operate").waitFor();
    expect(page.url()).not.toContain("at=");
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.close();
  });

  it("waits while too many look at the past", async () => {
    const { page } = await open();
    const refused = new Set<string>();
    await page.route(/[?&]at=/, async (route) => {
      const { pathname } = new URL(route.request().url());
      if (refused.has(pathname)) return await route.continue();
      refused.add(pathname);
      const headers = { "retry-after": "1" };
      const json = { error: "too many look at the past" };
      return await route.fulfill({ status: 503, headers, json });
    });
    await page.goto(urlOf(`#/alerts?at=${past()}`));
    await page.getByText(/^5\d\d alerts$/).waitFor();
    await page.getByText("actions: act").waitFor();
    expect(await page.getByText("too many look").count()).toBe(0);
    expect([...refused].toSorted()).toEqual(["/api/v1/alerts", "/api/v1/overview"]);
    await page.close();
  });

  it("says why the past is not answered, if that may last", async () => {
    const { page } = await open();
    await page.route(/[?&]at=/, async (route) => {
      await route.fulfill({ status: 503, json: { error: "the database cannot be used" } });
    });
    await page.goto(urlOf(`#/alerts?at=${past()}`));
    await page.getByText("the database cannot be used").first().waitFor();
    await page.close();
  });

  it("shows a replay that is under way already, can cancel it, and takes none that is lost for one", async () => {
    const { page } = await open();
    let isThere = true;
    let state = "running";
    await page.route(/api\/v1\/backtest/, async (route) => {
      const method = route.request().method();
      if (method === "POST")
        return await route.fulfill({ status: 409, json: { error: "another one is under way" } });
      if (!isThere) return await route.abort();
      if (method === "DELETE") state = "cancelled";
      const of = { since: past(), until: past(), by: "bob", problem: null, result: null };
      return await route.fulfill({ json: { ...of, tried: null, state, progress: 0.5 } });
    });
    await page.goto(urlOf("#/backtest"));
    await page.getByLabel("Your token").fill(TOKEN);
    await page.getByRole("button", { name: "Replay" }).click();
    await page.getByText("another one is under way").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("It was cancelled.").waitFor();
    state = "running";
    await page.getByRole("button", { name: "Replay" }).click();
    await page.getByRole("button", { name: "Cancel" }).waitFor();
    isThere = false;
    await page.getByText("No answer").waitFor();
    expect(await page.getByRole("button", { name: "Replay" }).isEnabled()).toBe(true);
    await page.close();
  });

  it.each(["POST", "GET"])(
    "shows the result of one's own trial though the answer to a %s about it was lost",
    async (lost) => {
      const { page } = await open();
      const ids: Array<string | undefined> = [];
      let state = "running";
      let isLost = true;
      await page.route(/api\/v1\/backtest/, async (route) => {
        const method = route.request().method();
        if (method === "POST") {
          const { id } = (route.request().postDataJSON() ?? {}) as { id?: string };
          ids.push(id);
        }
        if (method === lost && isLost) {
          isLost = false;
          return await route.abort();
        }
        if (method === "POST" && ids.length === 2)
          return await route.fulfill({ status: 409, json: { error: "another one is under way" } });
        const result = state === "done" ? { ...NOTHING, since: past(), until: past() } : null;
        const of = { since: past(), until: past(), by: "alice", tried: ["MyRule"], problem: null };
        const json = { ...of, id: ids[0] ?? null, state, progress: 0.5, result };
        return await route.fulfill({ status: method === "POST" ? 202 : 200, json });
      });
      await page.goto(urlOf("#/try"));
      await page.getByLabel("Your token").fill(TOKEN);
      const start = page.getByRole("button", { name: "on the last hour" });
      await start.click();
      if (lost === "GET") {
        await page.getByText("No answer").waitFor();
        await start.click();
      }
      await page.getByRole("button", { name: "Cancel" }).waitFor();
      expect(await page.getByText("replays").count()).toBe(0);
      state = "done";
      await page.getByText(/readings? replayed/).waitFor();
      expect(await page.getByText("No answer").count()).toBe(0);
      expect(new Set(ids).size).toBe(ids.length);
      await page.close();
    },
  );

  it("says since when nothing is known of an alert whose end cannot be read", async () => {
    const { page, complaints } = await open();
    const run = (name: string, lostAt: string | null) => ({
      rule: name,
      entity: { aggregator: "bsc", kind: "exchange", id: name },
      alias: null,
      severity: "critical",
      started_at: past(),
      fired_at: past(),
      resolved_at: null,
      lost_at: lostAt,
      because: null,
      counterfactual: false,
    });
    const counts = { ...NOTHING.counts, alerts_would: 2, alerts_more: 2 };
    const more = { alerts_more: [run("Lost", past()), run("Firing", null)], counts };
    const result = { ...NOTHING, ...more, since: past(), until: past() };
    await page.route(/api\/v1\/backtest/, async (route) => {
      const { id = null } = (route.request().postDataJSON() ?? {}) as { id?: string };
      const of = { since: past(), until: past(), by: "alice", tried: null, problem: null, result };
      const status = route.request().method() === "POST" ? 202 : 200;
      return await route.fulfill({ status, json: { ...of, id, state: "done", progress: 1 } });
    });
    await page.goto(urlOf("#/backtest"));
    await page.getByLabel("Your token").fill(TOKEN);
    await page.getByRole("button", { name: "Replay" }).click();
    await page.getByRole("row", { name: /Lost .*not known from 20\d\d-.* on$/ }).waitFor();
    await page.getByRole("row", { name: /Firing .*fires at the end$/ }).waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it.each([
    ["try", null, "the rules in force"],
    ["try", ["TheirRule"], "TheirRule"],
    ["backtest", ["TheirRule"], "TheirRule"],
  ])("takes in %s no replay of other rules for one's own (%s)", async (name, tried, replayed) => {
    const { page } = await open();
    let state = "running";
    await page.route(/api\/v1\/backtest/, async (route) => {
      if (route.request().method() === "POST")
        return await route.fulfill({ status: 409, json: { error: "another one is running" } });
      const result = state === "done" ? { ...NOTHING, since: past(), until: past() } : null;
      const of = { since: past(), until: past(), by: "bob", tried, problem: null, result };
      return await route.fulfill({ json: { ...of, state, progress: 0.5 } });
    });
    await page.goto(urlOf(`#/${name}`));
    await page.getByLabel("Your token").fill(TOKEN);
    const start = page.getByRole("button", { name: /^Replay$|on the last hour/ });
    await start.click();
    await page.getByText(`bob replays ${replayed}.`).waitFor();
    await page.waitForResponse(/api\/v1\/backtest/);
    await page.getByText("another one is running").waitFor();
    await page.getByRole("button", { name: "Cancel" }).waitFor();
    state = "done";
    await page.getByText("bob replays").waitFor({ state: "detached" });
    expect(await start.isEnabled()).toBe(true);
    expect(await page.getByText(/readings? replayed/).count()).toBe(0);
    expect(await page.getByText("another one is running").count()).toBe(0);
    await page.close();
  });

  it("tries a rule: its problem with a caret, what it would find, and what it would have done", async () => {
    const { page, complaints } = await open();
    await page.goto(urlOf("#/try"));
    const editor = page.getByLabel("A rule file, as YAML");
    await editor.fill((await editor.inputValue()).replace("exchange.status", "exchange.statu"));
    await page.getByLabel("Your token").fill(TOKEN);
    await page.getByRole("button", { name: "Try it" }).click();
    await page.getByText("^^^").waitFor();
    await editor.fill((await editor.inputValue()).replace("exchange.statu", "exchange.status"));
    await page.getByRole("button", { name: "Try it" }).click();
    await page.getByText("4 exchanges").waitFor();
    await page.getByRole("row").filter({ hasText: "EXCHANGE-0" }).waitFor();
    await page.getByRole("button", { name: "on the last hour" }).click();
    await page.getByText(/^It would have fired \d+ times$/).waitFor();
    await page.getByText("alerts would have fired").waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("replays the past by today's rules, and says what would have been different", async () => {
    const { page, complaints } = await open();
    await page.goto(urlOf(`#/?at=${past()}`));
    await page.getByRole("link", { name: "What would today's rules have done since?" }).click();
    await page.getByLabel("Your token").fill(TOKEN);
    await page.getByRole("button", { name: "Replay" }).click();
    await page.getByRole("button", { name: "Cancel" }).waitFor();
    // It goes on, and is there again, while another view is looked at.
    await page.getByRole("link", { name: "Alerts", exact: true }).click();
    await page.getByText(/^5\d\d alerts$/).waitFor();
    await page.goBack();
    await page.getByText(/would have been different$/).waitFor();
    await page.getByText(/^\d+ readings? replayed/).waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });
});

/** The result of a replay in which nothing was different. */
const NOTHING = {
  polls: 1,
  gaps: [],
  problems: [],
  counts: {
    alerts_told: 0,
    alerts_would: 0,
    alerts_more: 0,
    alerts_fewer: 0,
    alerts_moved: 0,
    actions_more: 0,
    actions_fewer: 0,
  },
  alerts_more: [],
  alerts_fewer: [],
  alerts_moved: [],
  actions_more: [],
  actions_fewer: [],
  guards: [],
};
