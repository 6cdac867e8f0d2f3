/** Tests src/config/lint: lint. */
import { describe, expect, it } from "vitest";
import { lintChecks } from "../../../src/config/lint/index.ts";
import { CONFIG, lint, places, ruleText, type LintSetting } from "./lint-text.ts";

/** A second aggregator, `b`, that watches nothing, and whose exchanges are polled seldom. */
const SLOW_B =
  '\n  - { name: b, base_url: https://b.example/x, schedules: { exchanges: "0 */5 * * * *" } }\n';

const ACT = "{ action: enable_exchange, verify_within: 1m, budget: { max: 5, per: 1h } }";
const CANCEL =
  "{ action: force_cancel_order, mode: act, verify_within: 1m, budget: { max: 5, per: 1h } }";

describe("lint", () => {
  it("has nothing to say of a rule that is well written", () => {
    expect(lint([ruleText({ act: ACT })])).toEqual({ problems: [], ignored: 0 });
  });

  it("leaves out a rule that is not enabled", () => {
    expect(lint([ruleText({ enabled: "false", annotations: "{}" })]).problems).toEqual([]);
  });

  it.each<[string, Record<string, string>, LintSetting, string[]]>([
    [
      "an action without verify_within",
      { act: "{ action: enable_exchange, budget: { max: 5, per: 1h } }" },
      {},
      ["9:9 lint/no-verify-within"],
    ],
    ["no runbook", { annotations: "{ summary: x }" }, {}, ["4:16 lint/no-runbook"]],
    [
      "a runbook that is not there",
      { annotations: "{ runbook_url: docs/A.md }" },
      {},
      ["8:37 lint/no-runbook"],
    ],
    ["no test", { alert: "C" }, {}, ["4:16 lint/no-test"]],
    ["a test that is a comment", {}, { tests: "# A: x\n" }, ["4:16 lint/no-test"]],
    ["an alert of which a longer one is tested", {}, { tests: "AB: x\n" }, ["4:16 lint/no-test"]],
    ["a short for", { for: "19s" }, {}, ["7:14 lint/for-shorter-than-two-polls"]],
    [
      "a for that is short for a slow poller",
      { for: "2m" },
      { config: `${CONFIG}    schedules: { exchanges: "0 */5 * * * *" }\n` },
      ["7:14 lint/for-shorter-than-two-polls"],
    ],
    [
      "a for that is as long as the hours",
      { for: "8h30m", during: "{ hours: 09:00-17:30 }" },
      {},
      ["7:14 lint/for-longer-than-during"],
    ],
    [
      "a for that is longer than the longest of the hours",
      { for: "3h30m", during: '{ hours: ["09:00-12:00", "13:00-16:00"], days: mon-fri }' },
      {},
      ["7:14 lint/for-longer-than-during"],
    ],
    [
      "a for that is longer than a night over midnight",
      { for: "9h", during: "{ hours: 22:00-06:00 }" },
      {},
      ["7:14 lint/for-longer-than-during"],
    ],
    [
      "a poller that is off",
      {},
      { config: `${CONFIG}    schedules: { exchanges: off }\n` },
      ["5:15 lint/poller-off"],
    ],
    [
      "a poller that is off for the only aggregator that the rule judges",
      { aggregators: "[bsc]" },
      { config: `${CONFIG}    schedules: { exchanges: off }${SLOW_B}` },
      ["5:15 lint/poller-off"],
    ],
    [
      "nothing to watch of the only aggregator that the rule judges",
      { each: "sender", when: "sender.active_swaps > 5", aggregators: "[b]" },
      { config: `${CONFIG}${SLOW_B}` },
      ["5:15 lint/watches-nothing"],
    ],
    [
      "a for that is short for the only aggregator that the rule judges",
      { aggregators: "[b]" },
      { config: `${CONFIG}${SLOW_B}` },
      ["7:14 lint/for-shorter-than-two-polls"],
    ],
    [
      "an aggregator that the config does not have",
      { aggregators: "[bsc, bcs]" },
      {},
      ["9:28 lint/unknown-aggregator"],
    ],
    [
      "a severity that is not known",
      { labels: "{ severity: warnning }" },
      {},
      ["9:29 lint/unknown-severity"],
    ],
    [
      "nothing to watch",
      { each: "sender", when: "sender.active_swaps > 5" },
      { config: CONFIG.replace('senders: ["0x1"], ', "") },
      ["5:15 lint/watches-nothing"],
    ],
    [
      "a forced cancel by itself",
      { each: "liquidation", when: "liquidation.open", act: CANCEL },
      {},
      ["9:50 lint/force-cancel-acts"],
    ],
    [
      "an action when a fact is not known",
      { when: "'!has(exchange.status)'", act: ACT },
      {},
      ["9:9 lint/acts-on-lost-data"],
    ],
    [
      "an action when a fact may not be known",
      { when: '"!has(exchange.listed) || exchange.disabled"', act: ACT },
      {},
      ["9:9 lint/acts-on-lost-data"],
    ],
    [
      "a question for a fact within a comparison",
      { when: "has(exchange.listed) == exchange.disabled", act: ACT },
      {},
      ["9:9 lint/acts-on-lost-data"],
    ],
    [
      "a question for a fact on the other side of a comparison, and deep within",
      {
        when: "exchange.disabled == (exchange.disabled != has(exchange.listed))",
        act: ACT,
      },
      {},
      ["9:9 lint/acts-on-lost-data"],
    ],
    ["a rule without for", { for: "0s" }, {}, ["4:16 lint/for-shorter-than-two-polls"]],
    [
      "a rule that waits for what is young",
      { for: "0s", when: '"age(exchange.since) < duration(\\"20s\\")"' },
      {},
      ["4:16 lint/for-shorter-than-two-polls"],
    ],
    [
      "a rule that waits for what is not old",
      { for: "0s", when: '"!(age(exchange.since) > duration(\\"20s\\"))"' },
      {},
      ["4:16 lint/for-shorter-than-two-polls"],
    ],
    [
      "a poller that is off, and no for that would be too short for it",
      { for: "0s" },
      { config: `${CONFIG}    schedules: { exchanges: off }\n` },
      ["5:15 lint/poller-off"],
    ],
    [
      "an aggregator that the config does not have, and not that nothing is polled of it",
      { aggregators: "[bcs]" },
      {},
      ["9:23 lint/unknown-aggregator"],
    ],
  ])("finds %s", (_, changes, setting, expected) => {
    expect(places(lint([ruleText(changes)], setting))).toEqual(expected);
  });

  it.each<[string, Record<string, string>, LintSetting]>([
    [
      "a for that is just shorter than the hours",
      { for: "8h29m", during: "{ hours: 09:00-17:30 }" },
      {},
    ],
    [
      "hours that meet at midnight, over the end of the week",
      { for: "47h", during: "{ days: sun-mon }" },
      {},
    ],
    ["hours that are all of the week", { for: "200h", during: "{ time_zone: Europe/Berlin }" }, {}],
    [
      "a runbook that is there",
      { annotations: "{ runbook_url: docs/A.md }" },
      { files: ["docs/A.md"] },
    ],
    ["two polls", { for: "20s" }, {}],
    [
      "a rule that waits by itself",
      { for: "0s", when: '"age(exchange.since) > duration(\\"20s\\") && exchange.disabled"' },
      {},
    ],
    [
      "a rule that waits by itself, written the other way round",
      { for: "0s", when: '"duration(\\"20s\\") < age(exchange.since) && exchange.disabled"' },
      {},
    ],
    [
      "a rule that waits by itself, as it is not young",
      { for: "0s", when: '"!(age(exchange.since) <= duration(\\"20s\\")) && exchange.disabled"' },
      {},
    ],
    [
      "a rule of pollers, which have waited",
      { each: "poller", when: "poller.stale", for: "0s" },
      {},
    ],
    ["an alert of what is not known", { when: "'!has(exchange.status)'" }, {}],
    [
      "an action that asks for what the alert does without",
      {
        when: "'!has(exchange.listed) || exchange.disabled'",
        act: ACT.replace("{ action", "{ if: has(exchange.listed), action"),
      },
      {},
    ],
    [
      "a question for a fact within a comparison, if the fact is known",
      { when: "has(exchange.listed) && has(exchange.listed) == exchange.disabled", act: ACT },
      {},
    ],
    [
      "a condition that may be true in very many ways",
      {
        when: `'${Array(8).fill("(exchange.listed || exchange.disabled)").join(" && ")}'`,
        act: ACT,
      },
      {},
    ],
    [
      "a forced cancel that is proposed",
      {
        each: "liquidation",
        when: "liquidation.open",
        act: CANCEL.replace("mode: act", "mode: propose"),
      },
      {},
    ],
    [
      "a for that is long enough for the only aggregator that the rule judges",
      { aggregators: "[bsc]" },
      { config: `${CONFIG}${SLOW_B}` },
    ],
    [
      "a for that is long enough for the only aggregator of which anything is polled",
      { each: "sender", when: "sender.active_swaps > 5", for: "1m" },
      { config: `${CONFIG}${SLOW_B.replace("exchanges", "swaps")}` },
    ],
    ["a quoted name in a test", {}, { tests: 'expect: [{ alerts: [{ "A": x }] }]' }],
    [
      "a poller that is on somewhere",
      {},
      {
        config: `${CONFIG}    schedules: { exchanges: off }\n  - { name: b, base_url: https://b.example/x }\n`,
      },
    ],
  ])("does not mind %s", (_, changes, setting) => {
    expect(places(lint([ruleText(changes)], setting))).toEqual([]);
  });

  it("names the aggregator for which a for is short, if there are several", () => {
    const short = ruleText({ for: "1m" });
    const [found] = lint([short], { config: `${CONFIG}${SLOW_B}` }).problems;
    expect(found?.message).toBe(
      'for: 1m is shorter than two polls of "exchanges" of b, which polls every 5m',
    );
    const [alone] = lint([ruleText({ for: "1s" })]).problems;
    expect(alone?.message).toMatch(/two polls of "exchanges", which polls every/);
  });

  it.each([
    ["swap", "write what to watch under watch.senders, or enabled: false on the rule"],
    ["order", "write what to watch under watch.orders, or enabled: false on the rule"],
    ["market", "write schedules: { markets: … } for the aggregator, or enabled: false on the rule"],
  ])("says what to write if no %s is watched", (each, hint) => {
    const config = CONFIG.replace('senders: ["0x1"], ', "");
    const { problems } = lint([ruleText({ each, when: `has(${each}.since)` })], { config });
    const found = problems.find(({ id }) => id === "lint/watches-nothing");
    expect(found?.hint).toBe(hint);
  });

  it("finds an action of a rule about the watching itself", () => {
    // No action of today repairs pollers, so one is made up.
    const actions = new Map([
      ["enable_exchange", { kind: "poller", irreversible: false }],
    ] as const);
    const text = ruleText({ each: "poller", when: "poller.stale", act: ACT });
    expect(places(lint([text], { actions }))).toEqual(["9:9 lint/acts-on-lost-data"]);
  });

  it("gives every check an id of its own, and says all there is to say", () => {
    const ids = lintChecks.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id, means, why, mend } of lintChecks) {
      expect(id).toMatch(/^lint\/[a-z-]+$/);
      for (const text of [means, why, mend]) expect(text).toMatch(/^[A-Z].*\.$/s);
    }
  });
});
