import { SCOPES } from "../../../src/config/settings/tokens.ts";
import { describe, expect, it } from "vitest";
import type { SeenEntity } from "../../../src/domain/entity.ts";
import { MOST_ROWS } from "../../../src/io/page/entities.ts";
import { renderPage } from "../../../src/io/page/page.ts";
import { exchange, repair, rule } from "../../core/fixtures.ts";
import { scriptedWorld, type World } from "../../core/world.ts";
import { eventfulWorld, sourceOf } from "../api/server-fixture.ts";

const HOSTILE = `</td><script>alert("x")</script>'"&<img src=x onerror=alert(1)>\u0000\u001b[31m\u202e`;

const page = (world: World, unhealthy: readonly string[] = []): Promise<string> =>
  renderPage({ ...sourceOf(world), unhealthy: () => unhealthy });

const isEnabled = (enabled: boolean) => ({
  gate: {
    isEnabled: () => enabled,
    check: () => ({ allowed: true, name: "alice" }) as const,
    whose: () => ({ allowed: true, name: "alice", scopes: SCOPES }) as const,
    holdBack: async () => {},
  },
});

/** Rows of all tables as the text of their cells. */
function rows(html: string): string[][] {
  return [...html.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = ""]) =>
    [...row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/gs)].map(([, cell = ""]) =>
      cell
        .replace(/<[^>]*>/g, "")
        .replace(/\s+/g, " ")
        .trim(),
    ),
  );
}

describe("the page", () => {
  it("shows alerts, what waits for a person, remediations, pollers and entities", async () => {
    const world = eventfulWorld();
    const digest = [...world.state.tables.proposal.values()][0]?.digest ?? "";
    const html = await page(world);
    expect(html).toMatch(/^<!doctype html>/);
    expect(html).toContain("<title>(2) aggwatch</title>");
    const shown = rows(html);
    expect(shown).toContainEqual(
      expect.arrayContaining(["firing", "ExchangeDisabledcritical", "A exchange on bsc"]),
    );
    expect(shown).toContainEqual(expect.arrayContaining(["requested", "enable_exchange"]));
    expect(shown).toContainEqual(
      expect.arrayContaining([
        "enable_pairenablePair exchange=A assetPair=ORN-USDT",
        "A/ORN-USDT pair on bscA/ORN-USDT",
        expect.stringMatching(/^none of \d+ objects$/),
        `aggwatch approve p1 --digest ${digest} --reason &quot;why&quot;aggwatch deny p1 --reason &quot;why&quot;`,
      ]),
    );
    expect(shown).toContainEqual(expect.arrayContaining(["liquidations", "up", "1 of 2 failing"]));
    expect(shown).toContainEqual(["F/P", "seen", "2s ago", "base 1.5"]);
  });

  it("says how to decide: by command, and by a token if there is none yet", async () => {
    const world = eventfulWorld();
    const enabled = await renderPage(sourceOf(world, isEnabled(true)));
    expect(enabled).not.toMatch(/<button|<script|server\.tokens_file/);
    const disabled = await renderPage(sourceOf(world, isEnabled(false)));
    expect(disabled).toContain("set server.tokens_file in the config");
    expect(disabled).toContain("aggwatch approve p1 --digest ");
  });

  it("shows what the approval is for, and why a proposal was withdrawn", async () => {
    const world = eventfulWorld();
    const [proposal] = world.state.tables.proposal.values();
    if (proposal === undefined) throw new Error("nothing is proposed");
    const shown = rows(await page(world)).find((cells) => cells[0]?.startsWith("p1: waiting"));
    expect(shown?.[0]).toContain(proposal.digest);
    expect(shown?.[3]).toContain("asset_pair ORN-USDT · exchange A · name A/ORN-USDT");
    proposal.withdrawn = { at: world.now, why: "status was disabled, is enabled" };
    const html = await renderPage(sourceOf(world, isEnabled(true)));
    const withdrawn = rows(html).find((cells) => cells[0]?.startsWith("p1: withdrawn"));
    expect(withdrawn?.[0]).toContain("status was disabled, is enabled");
    expect(withdrawn?.[5]).toBe("withdrawn: it cannot be approved");
  });

  it("is loaded again by the browser itself, as it has no script", async () => {
    const html = await page(eventfulWorld());
    expect(html).toContain('<meta http-equiv="refresh" content="5" />');
    expect(html).not.toContain("<script");
  });

  it("shows holds, silences, quarantines and storms, and how to end them", async () => {
    const world = eventfulWorld();
    const until = world.now + 3_600_000;
    world.commands({ name: "hold", scope: { kind: "exchange", id: HOSTILE }, until });
    world.commands({ name: "silence", scope: {}, until });
    const since = world.now;
    world.state.tables.quarantine.set("bsc/pair/it's", { since, reason: HOSTILE });
    const storm = { rule: "ExchangeDisabled", aggregator: "bsc", since };
    world.state.tables.storm.set("one", { ...storm, detail: "9 of 10 are bad at once" });
    world.state.tables.storm.set("two", { ...storm, clearedAt: since, detail: "it has cleared" });
    const html = await page(world);
    expect(html).not.toContain("<script");
    expect(html).not.toContain("\u202e");
    const shown = rows(html);
    expect(shown).toContainEqual(expect.arrayContaining(["hold h1", "alice", "she said so"]));
    expect(shown).toContainEqual(expect.arrayContaining(["silence s1", "everything", "alice"]));
    expect(html).toContain("aggwatch release h1 --reason");
    expect(html).toContain("aggwatch unsilence s1 --reason");
    expect(html).toContain(
      "aggwatch unquarantine &#39;bsc/pair/it&#39;\\&#39;&#39;s&#39; --reason",
    );
    expect(html).toContain("Storm: ExchangeDisabled on bsc sends nothing since");
    expect(html).toMatch(/class="banner">Storm: /);
    expect(html).toMatch(/class="banner calm">[^<]*now 1 an interval: it has cleared/);
  });

  it("says at an alert that it is silenced, by what and until when", async () => {
    const world = eventfulWorld();
    const until = Date.parse("2030-01-31T16:40:00Z");
    world.commands({ name: "silence", scope: { rule: "PairDisabled" }, until });
    const html = await page(world);
    const [silenced, ...others] = rows(html).filter((cells) => cells.join().includes("silenced"));
    expect(silenced?.[2]).toBe("PairDisabledcritical");
    expect(silenced?.at(-1)).toContain("; silenced by s1 until 2030-01-31 16:40:00 UTC");
    expect(others).toEqual([]);
    expect(html).toContain("; 1 of them silenced</strong>");
  });

  it("has the alerts that fire before those that are pending", async () => {
    const states = rows(await page(eventfulWorld()))
      .map(([state]) => state)
      .filter((state) => state === "firing" || state === "pending");
    expect(states).toEqual(["firing", "firing", "pending"]);
  });

  it("says that all is quiet if it is, and otherwise what is wrong", async () => {
    const world = scriptedWorld({ rules: [] });
    expect(await page(world)).toContain("No alert is pending or firing.");
    world.commands({ name: "kill", source: "operator" });
    const html = await page(world, ["the loop has not turned for 20s"]);
    expect(html).toContain("the loop has not turned for 20s");
    expect(html).toMatch(/the kill switch is on \(operator\) since/);
  });

  it("shows timestamps among the facts as ages, by what the kind says of them", async () => {
    const shown = rows(await page(eventfulWorld()));
    const order = shown.find(([id]) => id === "0x5f");
    expect(order?.at(-1)).toContain("created 1m32s ago");
  });

  it("never lets the aggregator's text be more than text", async () => {
    const world = scriptedWorld({
      rules: [
        rule({
          alert: "Odd",
          act: repair(),
          when: { ...rule().when, judge: () => ({ truth: "bad" }) },
          annotations: { description: { source: "", reads: [], render: () => HOSTILE } },
        }),
      ],
    });
    const facts = { name: HOSTILE, status: HOSTILE, other: HOSTILE };
    world.sees("exchanges", [{ kind: "exchange", id: HOSTILE, facts }]);
    world.passes("1s");
    const html = await page(world, [HOSTILE]);
    expect(html).toContain("&lt;script&gt;");
    // The page's own tags carry no script, image or handler, so none at all may be there.
    expect(html).not.toMatch(/<(?:script|img)/i);
    expect(html.replace(/"[^"]*"/g, '""')).not.toMatch(/<[^>]*\son\w+=/i);
    for (const invisible of ["\u0000", "\u001b", "\u202e"]) expect(html).not.toContain(invisible);
    // Inside a class attribute, where the status goes, a quote would end it.
    expect(html).toContain('class="status &lt;/td&gt;&lt;script&gt;alert(&quot;x&quot;)');
  });

  it("stays short with many entities, and the worst of each kind are on top", async () => {
    const world = scriptedWorld({ rules: [rule()] });
    const many = Array.from({ length: 1_000 }, (_, index) =>
      exchange(`E${String(index).padStart(4, "0")}`, index === 900 ? "disabled" : "enabled"),
    );
    const pools: SeenEntity[] = [{ kind: "pool", id: "F/P", facts: { name: "F/P" } }];
    world.sees("exchanges", many);
    world.sees("pools", pools);
    const html = await page(world);
    const shown = rows(html).filter(([name]) => name?.startsWith("E0"));
    expect(shown).toHaveLength(MOST_ROWS);
    expect(shown[0]?.slice(0, 2)).toEqual(["E0900", "disabled"]);
    expect(html).toContain("exchange (1000, 1 with alerts)");
    expect(html).toContain(`… and ${1_000 - MOST_ROWS} more, in /api/v1/status`);
    expect(rows(html)).toContainEqual(expect.arrayContaining(["F/P", "seen"]));
    expect(html.length).toBeLessThan(100_000);
  });

  it("puts what is unknown before what is well, and counts it", async () => {
    const world = scriptedWorld({ rules: [] });
    const order = (id: string): SeenEntity => ({
      kind: "liquidation",
      id,
      facts: { status: "NEW" },
    });
    world.polls("liquidations", { a: [order("a")], b: [order("b")] });
    world.polls("liquidations", { a: [order("a")], b: "failed" });
    const html = await page(world);
    expect(html).toContain("liquidation (2, 1 unknown)");
    const shown = rows(html).filter(([id]) => id === "a" || id === "b");
    expect(shown.map(([id, state]) => [id, state])).toEqual([
      ["b", "unknown"],
      ["a", "NEW"],
    ]);
  });

  it("says what was done about an alert, and keeps what is over apart", async () => {
    const world = scriptedWorld({ rules: [rule({ act: repair() })] });
    world.sees("exchanges", [exchange("A", "disabled")]);
    world.passes("2s");
    const during = rows(await page(world)).find(([state]) => state === "firing");
    expect(during?.at(-1)).toMatch(/^enable_exchange: \w+, sent /);
    world.sees("exchanges", [exchange("A", "enabled")], { origin: "probe" });
    const html = await page(world);
    expect(html).toContain("No alert is pending or firing.");
    const after = rows(html.slice(html.indexOf("Just resolved"))).find(
      ([state]) => state === "resolved",
    );
    expect(after?.at(-1)).toMatch(/^enable_exchange: verified, sent /);
  });

  it("says that the last reload failed, and that all may be well even so", async () => {
    const notice = "The reload at noon failed: rules/a.yaml:1:1 <b>";
    const world = scriptedWorld({ rules: [] });
    const html = await renderPage(sourceOf(world, { notices: () => [notice] }));
    expect(html).toContain("rules/a.yaml:1:1 &lt;b&gt;");
    expect(html).not.toContain("aggwatch is not well");
    expect(await page(world)).not.toContain("The reload");
  });

  it("says that nothing is sent instead of the mode while a kill switch is on", async () => {
    const world = scriptedWorld({ rules: [] });
    world.commands({ name: "kill", source: "operator" });
    expect(await page(world)).toContain("actions: stopped");
  });
});
