import { describe, expect, it } from "vitest";
import { MINUTE, SECOND } from "../../../src/domain/time.ts";
import { channel, levelChannel } from "./channels.ts";
import { exchange, factIs, pair, repair, rule } from "../fixtures.ts";
import { scriptedWorld, START, type World } from "../world.ts";

const disabled = exchange("BINANCE", "disabled");
const enabled = exchange("BINANCE", "enabled");
const ALERT = "alert ExchangeDisabled|bsc/exchange/BINANCE";

function world(change: Partial<Parameters<typeof scriptedWorld>[0]> = {}): World {
  return scriptedWorld({ rules: [rule()], channels: [channel("hook")], ...change });
}

describe("what is told of alerts", () => {
  it("tells that one fires, and that it has resolved, once each", () => {
    const told = world()
      .sees("exchanges", [disabled])
      .passes("1m")
      .sees("exchanges", [disabled])
      .passes("1m")
      .sees("exchanges", [enabled])
      .passes("20m")
      .told();
    expect(told).toEqual([`hook ${ALERT} firing`, `hook ${ALERT} resolved`]);
  });

  it("tells nothing of what is pending, nor of what is dropped before it fires", () => {
    const quiet = world({ rules: [rule({ forMs: MINUTE })] })
      .sees("exchanges", [disabled])
      .passes("10s")
      .sees("exchanges", [enabled])
      .passes("5m");
    expect(quiet.told()).toEqual([]);
    expect(quiet.state.tables.notification.size).toBe(0);
  });

  it("tells each channel only of what it wants", () => {
    const rules = [
      rule(),
      rule({ alert: "ExchangeOdd", severity: "info" }),
      rule({ alert: "ExchangeOwn", severity: "page-me" }),
    ];
    const channels = [
      channel("all"),
      channel("loud", { leastSeverity: "warning" }),
      channel("odd", { match: { alertname: "ExchangeOdd" } }),
      channel("elsewhere", { match: { aggregator: "eth" } }),
      channel("kills", { topics: ["kill"] }),
    ];
    const told = world({ rules, channels }).sees("exchanges", [disabled]).passes("1s").told();
    const rulesTold = told.map((line) => line.replace(/ alert (\w+)\|.*/, " $1"));
    expect(rulesTold.toSorted()).toEqual([
      "all ExchangeDisabled",
      "all ExchangeOdd",
      "all ExchangeOwn",
      "loud ExchangeDisabled",
      "loud ExchangeOwn",
      "odd ExchangeOdd",
    ]);
  });

  it("remembers nothing of an alert that is over", () => {
    const over = world({ channels: [channel("hook"), levelChannel("am")] })
      .sees("exchanges", [disabled])
      .passes("10s")
      .sees("exchanges", [enabled])
      .passes("20m");
    expect([...over.state.tables.notification.keys()]).toEqual([]);
    expect(over.told().at(-1)).toBe(`am ${ALERT} resolved`);
  });

  it("does not say of an alert that is over what it holds back while it fires", () => {
    const of = (forMs: number, hash: string) => [
      rule({ alert: "Down", forMs, hash }),
      rule({ inhibitedBy: ["Down"] }),
    ];
    const pends = world({ rules: of(0, "") })
      .sees("exchanges", [disabled])
      .passes("10s");
    pends.policy = {
      ...pends.policy,
      rules: world({ rules: of(60 * MINUTE, "new") }).policy.rules,
    };
    const rulesBefore = new Map([
      ["Down", ""],
      ["ExchangeDisabled", ""],
    ]);
    pends.tell({ type: "policy_changed", rulesBefore, moved: [] }).passes("10s");
    const [firing, over] = pends.delivered.flatMap(({ items }) => items);
    expect(firing?.notification).toMatchObject({ rule: "Down", mutes: { ExchangeDisabled: 1 } });
    expect(over?.notification).toMatchObject({ rule: "Down", state: "resolved" });
    expect(over?.notification).not.toHaveProperty("mutes");
  });

  it("tells the end of an alert whose rule was removed, and of one that pends again", () => {
    for (const rules of [[], [rule({ forMs: 60 * MINUTE, hash: "new" })]]) {
      const changed = world().sees("exchanges", [disabled]).passes("10s");
      const before = new Map([["ExchangeDisabled", ""]]);
      const { notify } = changed.policy;
      changed.policy = { ...scriptedWorld({ rules }).policy, notify };
      changed.tell({ type: "policy_changed", rulesBefore: before, moved: [] }).passes("10s");
      expect(changed.told()).toEqual([`hook ${ALERT} firing`, `hook ${ALERT} resolved`]);
    }
  });

  it("tells a channel that is new of all that fires, and forgets one that is not there any more", () => {
    const changed = world().sees("exchanges", [disabled]).passes("10s");
    changed.policy = {
      ...changed.policy,
      notify: { channels: [channel("new")], suppressedAfterMs: MINUTE, annotations: "live" },
    };
    const rulesBefore = new Map([["ExchangeDisabled", ""]]);
    changed.tell({ type: "policy_changed", rulesBefore, moved: [] }).passes("10s");
    expect(changed.told()).toEqual([`hook ${ALERT} firing`, `new ${ALERT} firing`]);
    expect([...changed.state.channels.keys()]).toEqual(["new"]);
  });
});

describe("silences and inhibition", () => {
  const silence = { name: "silence", scope: { id: "BINANCE" }, until: START + 5 * MINUTE } as const;

  it("tells nothing of what is silenced, says why, and tells it when the silence ends", () => {
    const silenced = world().commands(silence).sees("exchanges", [disabled]).passes("4m");
    expect(silenced.told()).toEqual([]);
    expect(silenced.found("muted")).toMatchObject([{ subject: ALERT, reason: "silenced" }]);
    silenced.passes("2m");
    expect(silenced.told()).toEqual([`hook ${ALERT} firing`]);
  });

  it("tells at once when the silence is ended by hand", () => {
    const silenced = world().commands(silence).sees("exchanges", [disabled]);
    const [id = ""] = silenced.state.tables.silence.keys();
    silenced.commands({ name: "unsilence", silence: id }).passes("100ms");
    expect(silenced.told()).toEqual([`hook ${ALERT} firing`]);
  });

  it("tells nothing at all of what began and ended in silence", () => {
    const silenced = world()
      .commands(silence)
      .sees("exchanges", [disabled])
      .passes("1m")
      .sees("exchanges", [enabled])
      .passes("20m");
    expect(silenced.told()).toEqual([]);
  });

  it("covers the pairs of a silenced exchange also when they are enabled, and so gone", () => {
    const scope = { kind: "exchange", id: "BINANCE" };
    const pairs = { alert: "PairDisabled", kind: "pair", annotations: {} };
    for (const one of [
      rule({ ...pairs, act: repair({ action: "enable_pair" }) }),
      rule({ ...pairs, keepFiringForMs: 10 * MINUTE }),
    ]) {
      const silenced = world({ rules: [one] })
        .commands({ name: "silence", scope, until: START + 60 * MINUTE })
        .sees("exchanges", [pair("BINANCE", "ORN-USDT")])
        .passes("2s");
      if (one.act !== undefined) silenced.replies("r1", "acknowledged");
      silenced.passes("10s").sees("exchanges", []).passes("10s").sees("exchanges", []).passes("1m");
      expect(silenced.entity("pair", "BINANCE/ORN-USDT")).toBeUndefined();
      if (one.act !== undefined) expect(silenced.remediations()).toEqual(["r1 verified"]);
      expect(silenced.told()).toEqual([]);
    }
  });

  it("tells the end of what was told before the silence, as an incident would stay open", () => {
    const silenced = world()
      .sees("exchanges", [disabled])
      .passes("10s")
      .commands(silence)
      .sees("exchanges", [enabled])
      .passes("10s");
    expect(silenced.told()).toEqual([`hook ${ALERT} firing`, `hook ${ALERT} resolved`]);
  });

  it("keeps an Alertmanager told of what it knows, though it is silenced now", () => {
    const silenced = world({ channels: [levelChannel("am")] })
      .sees("exchanges", [disabled])
      .passes("10s")
      .commands(silence)
      .passes("3m");
    expect(silenced.told().length).toBeGreaterThanOrEqual(3);
  });

  it("tells nothing of what another alert on the same aggregator inhibits, until that has ended", () => {
    const rules = [
      rule({ inhibitedBy: ["Everything"] }),
      rule({ alert: "Everything", when: factIs("status", "missing") }),
    ];
    const all = { ...exchange("OKX", "disabled"), facts: { name: "OKX", status: "missing" } };
    const inhibited = world({ rules }).sees("exchanges", [disabled, all]).passes("1m");
    expect(inhibited.told()).toEqual(["hook alert Everything|bsc/exchange/OKX firing"]);
    expect(inhibited.found("muted")).toMatchObject([{ subject: ALERT, reason: "inhibited" }]);
    inhibited.sees("exchanges", [disabled, exchange("OKX", "enabled")]).passes("2s");
    expect(inhibited.told().slice(1)).toEqual([
      "hook alert Everything|bsc/exchange/OKX resolved",
      `hook ${ALERT} firing`,
    ]);
  });
});

describe("what is told of repairs and operators", () => {
  it("tells that a remediation was sent and verified", () => {
    const acting = world({ rules: [rule({ act: repair() })] })
      .sees("exchanges", [disabled])
      .passes("2s")
      .becomes("exchanges", [enabled])
      .replies("r1", "acknowledged")
      .passes("5s");
    expect(acting.told()).toEqual([
      `hook ${ALERT} firing`,
      "hook remediation r1 sent",
      `hook ${ALERT} resolved`,
      "hook remediation r1 verified",
    ]);
  });

  it("tells that one was rejected, and that one was not seen to help", () => {
    for (const [outcome, word] of [
      ["rejected", "rejected"],
      ["acknowledged", "unverified"],
    ] as const) {
      const acting = world({ rules: [rule({ act: repair() })] })
        .sees("exchanges", [disabled])
        .passes("2s")
        .replies("r1", outcome)
        .passes("70s");
      expect(acting.told()).toContain(`hook remediation r1 ${word}`);
    }
  });

  it("tells a proposal with the command that approves it", () => {
    const acting = world({ rules: [rule({ act: repair({ mode: "propose" }) })] })
      .sees("exchanges", [disabled])
      .passes("2s");
    const [proposal] = acting.state.tables.proposal.values();
    const subject = `proposal ${proposal?.alert}`;
    expect(acting.told()).toContain(`hook ${subject} proposed`);
    const items = acting.delivered.flatMap((batch) => batch.items);
    expect(items.find((item) => item.subject === subject)?.notification).toMatchObject({
      command: `aggwatch approve p1 --digest ${proposal?.digest} --reason "why"`,
    });
  });

  it("tells once that a guard has held a remediation back for long, but not what is wanted so", () => {
    const held = world({ rules: [rule({ act: repair() })] })
      .commands({ name: "kill", source: "operator" })
      .sees("exchanges", [disabled]);
    for (let minute = 0; minute < 40; minute += 1) held.passes("1m").sees("exchanges", [disabled]);
    const told = held.told().filter((line) => line.endsWith("suppressed"));
    expect(told).toEqual([`hook suppressed ${ALERT.slice("alert ".length)} suppressed`]);
    const shadow = world({ rules: [rule({ act: repair({ mode: "shadow" }) })] });
    for (let minute = 0; minute < 40; minute += 1) {
      shadow.sees("exchanges", [disabled]).passes("1m");
    }
    // Nobody reads it any more, so that the guard has another reason than the mode.
    shadow.passes("40m");
    expect(shadow.told().filter((line) => line.endsWith("suppressed"))).toEqual([]);
  });

  it.each([20, 10])(
    "tells that once, though a poll fails every %d minutes, and over a restart",
    (every) => {
      const act = repair({ budget: { max: 0, perMs: 60 * MINUTE } });
      const held = world({ rules: [rule({ act })] }).sees("exchanges", [disabled]);
      for (let minute = 1; minute <= 60; minute += 1) {
        held.passes("1m");
        if (minute % every === 0) held.fails("exchanges").passes("5s");
        if (minute === 45) held.restarts();
        held.sees("exchanges", [disabled]);
      }
      expect(held.told().filter((line) => line.endsWith("suppressed"))).toHaveLength(1);
      const shown = held.alert("ExchangeDisabled", "exchange", "BINANCE")?.suppressed;
      expect(shown).toMatchObject({ reason: "budget", since: START, told: true });
    },
  );

  it("tells it of another reason, though a poll failed in between", () => {
    const held = world({
      rules: [rule({ act: repair({ budget: { max: 0, perMs: 60 * MINUTE } }) })],
    });
    held.sees("exchanges", [disabled]).passes("20m").fails("exchanges");
    held.commands({ name: "kill", source: "operator" }).passes("20m");
    expect(held.told().filter((line) => line.endsWith("suppressed"))).toHaveLength(2);
  });

  it("tells it of a second kill switch, though nothing was read between the two", () => {
    const held = world({ rules: [rule({ act: repair() })] }).sees("exchanges", [disabled]);
    held.commands({ name: "kill", source: "operator" }).passes("20m").fails("exchanges");
    held.commands({ name: "unkill", source: "operator" });
    for (let minute = 0; minute < 60; minute += 1) held.passes("1m").fails("exchanges");
    const killedAgain = held.now;
    held.commands({ name: "kill", source: "operator" }).passes("20m");
    expect(held.told().filter((line) => line.endsWith("suppressed"))).toHaveLength(3);
    const shown = held.alert("ExchangeDisabled", "exchange", "BINANCE")?.suppressed;
    expect(shown).toMatchObject({ reason: "killed", since: killedAgain });
  });

  it.each(["fails", "never comes"])(
    "tells once that a remediation is wanted, but that the reading before it %s, until it is sent",
    (what) => {
      const wanted = world({ rules: [rule({ act: repair() })], probes: "silent" });
      for (let tenth = 0; tenth < 240; tenth += 1) {
        wanted.sees("exchanges", [disabled]).passes("9s");
        if (what === "fails") wanted.reads("exchanges", "failed", { origin: "probe" });
        wanted.passes("1s");
      }
      const isTold = () => wanted.told().filter((line) => line.endsWith("suppressed"));
      expect(wanted.sent).toHaveLength(0);
      expect(isTold()).toEqual([`hook suppressed ${ALERT.slice("alert ".length)} suppressed`]);
      wanted.sees("exchanges", [disabled]).passes("1s");
      wanted.reads("exchanges", [disabled], { origin: "probe" });
      expect(wanted.sent).toHaveLength(1);
      expect(wanted.alert("ExchangeDisabled", "exchange", "BINANCE")?.suppressed).toBeUndefined();
    },
  );

  it("tells no such thing if each such reading came in the end, or showed that it was well", () => {
    const wanted = world({
      rules: [rule({ keepFiringForMs: 60 * MINUTE, act: repair() })],
      probes: "silent",
    });
    for (let minute = 0; minute < 40; minute += 1) {
      wanted.sees("exchanges", [disabled]).passes("30s");
      wanted.sees("exchanges", [disabled]);
      wanted.reads("exchanges", [enabled], { origin: "probe" }).passes("30s");
    }
    expect(wanted.found("unconfirmed").map(({ why }) => why)).toContain("late");
    expect(wanted.told().filter((line) => line.endsWith("suppressed"))).toEqual([]);
  });

  it("does not tell that a remediation is held back of what is well and only keeps firing", () => {
    const kept = world({ rules: [rule({ keepFiringForMs: 60 * MINUTE, act: repair() })] })
      .commands({ name: "kill", source: "operator" })
      .sees("exchanges", [disabled])
      .passes("1m");
    for (let minute = 0; minute < 40; minute += 1) kept.sees("exchanges", [enabled]).passes("1m");
    expect(kept.sees("exchanges", [enabled]).alerts()).toEqual(["ExchangeDisabled BINANCE firing"]);
    expect(kept.told().filter((line) => line.endsWith("suppressed"))).toEqual([]);
  });

  it("tells the kill switch on and off, and that a hold ends soon", () => {
    const told = world()
      .commands({ name: "kill", source: "operator" })
      .passes("1s")
      .commands({ name: "unkill", source: "operator" })
      .commands({ name: "hold", scope: {}, until: START + 30 * MINUTE })
      .commands({ name: "hold", id: "maintenance-sat", scope: {}, until: START + 30 * MINUTE })
      .passes("25m")
      .told();
    expect(told).toEqual([
      "hook kill operator kill_on",
      "hook kill operator kill_off",
      "hook hold h1 hold_ends",
    ]);
  });

  it("tells that the kill switch was released wherever it tells that it is on", () => {
    const told = world({ channels: [channel("hook", { leastSeverity: "warning" })] })
      .commands({ name: "kill", source: "operator" })
      .passes("1s")
      .commands({ name: "unkill", source: "operator" })
      .passes("1s")
      .told();
    expect(told).toEqual(["hook kill operator kill_on", "hook kill operator kill_off"]);
  });

  it("tells who switched the kill switch, and what else keeps it on after a release", () => {
    const kill = { name: "kill", source: "operator" } as const;
    const off = { ...kill, name: "unkill" } as const;
    const told = world();
    const asks = (by: string, command: typeof kill | typeof off) =>
      told.tell({ type: "command", by, reason: "prices wrong", command }).passes("1s");
    asks("alice", kill).commands({ name: "kill", source: "file" });
    asks("bob", off).commands({ name: "unkill", source: "file" }).passes("1s");
    const texts = told.delivered
      .flatMap(({ items }) => items)
      .map(({ notification: one }) => one.type === "event" && [one.title, one.detail]);
    expect(texts).toEqual([
      ["No action is sent: the kill switch is on (operator)", "by alice: prices wrong"],
      ["No action is sent: the kill switch is on (file)", expect.not.stringContaining("by ")],
      ["The kill switch (operator) was released; it is still on by file", "by bob: prices wrong"],
      ["The kill switch (file) was released", expect.not.stringContaining("by ")],
    ]);
  });

  it("says nothing of repairs of what is silenced", () => {
    const scope = { id: "BINANCE" };
    const acting = world({ rules: [rule({ act: repair() })] })
      .commands({ name: "silence", scope, until: START + 60 * MINUTE })
      .sees("exchanges", [disabled])
      .passes("10s");
    expect(acting.sent).toHaveLength(1);
    expect(acting.told()).toEqual([]);
    expect(acting.found("muted").map(({ subject }) => subject)).toContain("remediation r1");
  });

  it("goes on telling while the journal cannot be written", () => {
    const broken = world();
    broken.journal.broken = true;
    broken.sees("exchanges", [disabled]).tell({
      type: "journal",
      writable: false,
      detail: "disk full",
      unsent: [],
    });
    broken.now += SECOND;
    broken.tell({ type: "tick" });
    // The world, as the loop, carries out what is not an action.
    expect(broken.batches.length).toBeGreaterThan(0);
  });
});

it.each([
  ["critical", true],
  ["warning", false],
])("asks a channel of critical alerts to decide on those that are %s: %s", (severity, isAsked) => {
  const asking = world({
    rules: [rule({ severity, act: repair({ mode: "propose" }) })],
    channels: [channel("pager", { leastSeverity: "critical" })],
  });
  asking.at("1m").sees("exchanges", [disabled]).passes("5s");
  const isProposal = (line: string): boolean => line.endsWith(" proposed");
  expect(asking.told().some(isProposal)).toBe(isAsked);
});

describe("annotations", () => {
  const lasting = rule({
    forMs: MINUTE,
    annotations: {
      description: {
        source: "{{ age(exchange.since) }}",
        reads: ["since"],
        render: ({ facts, now }) => `for ${(now - Number(facts["since"])) / SECOND}s`,
      },
    },
  });
  const texts = (annotations: "live" | "frozen") => {
    const told = world({ rules: [lasting], channels: [levelChannel("am")] });
    told.policy = { ...told.policy, notify: { ...told.policy.notify, annotations } };
    for (let polls = 0; polls < 15; polls += 1) told.sees("exchanges", [disabled]).passes("10s");
    told.sees("exchanges", [enabled]).passes("10s");
    return told.batches.flatMap(({ items }) =>
      items.map(({ notification: one }) => one.type === "alert" && one.annotations["description"]),
    );
  };

  it("say what is true when they are sent, and at the end what was said at the beginning", () => {
    expect(texts("live")).toEqual(["for 60s", "for 120s", "for 60s"]);
  });

  it("stay as they were if they are frozen", () => {
    expect(texts("frozen")).toEqual(["for 60s", "for 60s", "for 60s"]);
  });
});

describe("the Watchdog alert", () => {
  const rules = (told: World) =>
    told.batches.map(({ items }) =>
      items.map(({ notification: one }) => one.type === "alert" && one.rule),
    );

  it("goes to a channel that wants it each time that what fires is sent again, also if nothing does", () => {
    const told = world({ rules: [], channels: [levelChannel("am", { watchdog: true })] });
    expect(rules(told.at("2m30s"))).toEqual([["Watchdog"], ["Watchdog"], ["Watchdog"]]);
  });

  it("does not go to others", () => {
    const told = world({ rules: [], channels: [levelChannel("am"), channel("hook")] });
    expect(rules(told.at("10m"))).toEqual([]);
  });
});
