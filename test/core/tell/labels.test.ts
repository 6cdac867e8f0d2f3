/** Tests src/core/tell: the labels by which an Alertmanager knows an alert. */
import { describe, expect, it } from "vitest";
import type { Rule } from "../../../src/domain/rule.ts";
import { channel, levelChannel } from "./channels.ts";
import { exchange, rule, template } from "../fixtures.ts";
import { scriptedWorld, type World } from "../world.ts";

const disabled = exchange("BINANCE", "disabled");
const enabled = exchange("BINANCE", "enabled");

function world(change: Partial<Rule> = {}): World {
  const channels = [levelChannel("am"), channel("hook")];
  return scriptedWorld({ rules: [rule({ severity: "warning", ...change })], channels });
}

/** Another rule of the same name comes by a reload. */
function reloads(told: World, change: Partial<Rule>): World {
  const { policy } = scriptedWorld({ rules: [rule({ hash: "new", ...change })] });
  told.policy = { ...policy, notify: told.policy.notify };
  const rulesBefore = new Map([["ExchangeDisabled", ""]]);
  return told.tell({ type: "policy_changed", rulesBefore, moved: [] });
}

/** What a channel was sent, message for message, as `state severity label`. */
function sent(told: World, name: string): string[][] {
  return told.delivered
    .filter(({ channel: one }) => one === name)
    .map(({ items }) =>
      items.map(({ notification: one }) => {
        const state = one.type === "alert" ? one.state : one.word;
        return [state, one.severity, one.labels["desk"] ?? ""].join(" ").trim();
      }),
    );
}

describe("an alert that an Alertmanager knows", () => {
  it("keeps its labels until it has resolved, whatever becomes of the facts that they name", () => {
    const told = world({
      labels: { desk: template("desk") },
      annotations: { of: template("desk") },
    });
    const facts = (desk: string) => ({ ...disabled, facts: { ...disabled.facts, desk } });
    told.sees("exchanges", [facts("one")]).passes("90s");
    told.sees("exchanges", [facts("two")]).passes("1m");
    const again = told.delivered.at(-1)?.items[0]?.notification;
    expect(again).toMatchObject({ annotations: { of: "two" } });
    told.sees("exchanges", [enabled]).passes("1m");
    expect([...new Set(sent(told, "am").flat())]).toEqual([
      "firing warning one",
      "resolved warning one",
    ]);
  });

  it("ends under its old severity when a reload gives it another, and fires under that", () => {
    const told = world().sees("exchanges", [disabled]).passes("90s");
    const before = sent(told, "am").length;
    reloads(told, { severity: "critical" }).passes("70s");
    told.sees("exchanges", [enabled]).passes("1s");
    expect(sent(told, "am").slice(before)).toEqual([
      ["resolved warning", "firing critical"],
      ["firing critical"],
      ["resolved critical"],
    ]);
    expect(sent(told, "hook").map(([first]) => first?.split(" ")[0])).toEqual([
      "firing",
      "resolved",
    ]);
  });

  it("ends under its old severity when it has another after a restart, and fires under that", () => {
    const pager = channel("pager", { leastSeverity: "critical" });
    const known = world();
    const notify = { ...known.policy.notify, channels: [levelChannel("am"), pager] };
    known.policy = { ...known.policy, notify };
    known.sees("exchanges", [disabled]).passes("90s");
    const before = sent(known, "am").length;
    const { policy } = scriptedWorld({ rules: [rule({ hash: "new", severity: "critical" })] });
    known.policy = { ...policy, notify };
    known.restarts("10s").passes("1s");
    expect(known.alert("ExchangeDisabled", "exchange", "BINANCE")?.severity).toBe("critical");
    expect(sent(known, "am").slice(before)).toEqual([["resolved warning", "firing critical"]]);
    expect(sent(known, "pager")).toEqual([["firing critical"]]);
  });

  it("ends under its old severity also if the message with the new one is sent again", () => {
    const told = world().sees("exchanges", [disabled]).passes("10s");
    const before = sent(told, "am").length;
    told.receives = () => "failed";
    reloads(told, { severity: "critical" }).passes("20s");
    told.receives = () => "delivered";
    told.passes("30s");
    expect(sent(told, "am")[before]).toEqual(["resolved warning", "firing critical"]);
  });
});
