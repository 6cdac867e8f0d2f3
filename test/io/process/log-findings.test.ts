import { describe, expect, it } from "vitest";
import type { Finding } from "../../../src/domain/step.ts";
import { createLog } from "../../../src/io/process/log.ts";
import { createFindingLog } from "../../../src/io/process/log-findings.ts";
import { exchange, repair, rule } from "../../core/fixtures.ts";
import { scriptedWorld } from "../../core/world.ts";

function logged(level: "info" | "debug" = "info") {
  const lines: string[] = [];
  const log = createLog({ level, format: "json" }, { isTerminal: false }, (line) =>
    lines.push(line),
  );
  const write = createFindingLog(log);
  return {
    write: (...findings: Finding[]) => write(findings),
    taken: (): Array<Record<string, unknown>> =>
      lines.splice(0).map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

type Polled = Extract<Finding, { type: "polled" }>;

function polled(change: Partial<Polled> = {}): Polled {
  return {
    type: "polled",
    aggregator: "bsc",
    poller: "exchanges",
    origin: "poll",
    outcome: "complete",
    durationMs: 12.6,
    detail: "",
    ...change,
  };
}

const failed = (detail: string): Polled => polled({ outcome: "failed", detail });

describe("a poll in the log", () => {
  it("is not worth a line while all is well", () => {
    const { write, taken } = logged();
    write(polled(), polled());
    expect(taken()).toEqual([]);
  });

  it("that is complete, and yet doubtful, is a warning, and is logged once", () => {
    const { write, taken } = logged();
    const doubtful = polled({ detail: "every watched id is answered with 404" });
    write(doubtful, doubtful);
    expect(taken()).toMatchObject([{ level: "warn", msg: "poll is complete, but in doubt" }]);
    write(polled());
    expect(taken()).toMatchObject([{ level: "info", msg: "poll is complete again" }]);
  });

  it("that fails is told once, and told again when it fails another way or is complete", () => {
    const { write, taken } = logged();
    write(failed("timeout: timed out (response)"), failed("timeout: timed out (response)"));
    expect(taken()).toMatchObject([
      {
        level: "warn",
        msg: "poll is not complete",
        aggregator: "bsc",
        poller: "exchanges",
        outcome: "failed",
        duration_ms: 13,
        detail: "timeout: timed out (response)",
      },
    ]);
    write(failed("status: status 503"));
    expect(taken()).toMatchObject([{ level: "warn", detail: "status: status 503" }]);
    write(polled(), polled());
    expect(taken()).toMatchObject([{ level: "info", msg: "poll is complete again" }]);
    write(failed("status: status 503"));
    expect(taken()).toHaveLength(1);
  });

  it("that fails the same way is told once, although the server's words differ each time", () => {
    const { write, taken } = logged();
    write(
      failed("status: status 500: request 8f1c-22 failed at 12:00:01"),
      failed("status: status 500: request 77aa-91 failed at 12:00:11"),
      failed("status: status 502: bad gateway"),
      failed("status: disabled: status 502: bad gateway"),
      failed("status: disabled: status 502: bad gateway again"),
      failed("status: disabled: status 503: away"),
    );
    expect(taken().map(({ detail }) => detail)).toEqual([
      "status: status 500: request 8f1c-22 failed at 12:00:01",
      "status: status 502: bad gateway",
      "status: disabled: status 502: bad gateway",
      "status: disabled: status 503: away",
    ]);
  });

  it("is told apart by aggregator, poller and origin", () => {
    const { write, taken } = logged();
    const change = { outcome: "failed", detail: "timeout: x" } as const;
    write(
      polled(change),
      polled({ ...change, poller: "pools" }),
      polled({ ...change, aggregator: "eth" }),
      polled({ ...change, origin: "probe" }),
      polled(change),
    );
    expect(taken()).toHaveLength(4);
  });
});

describe("what the core finds", () => {
  it("is told in the words of the metrics, from the alert to the verified repair", () => {
    const { write, taken } = logged();
    const world = scriptedWorld({ rules: [rule({ act: repair() })] });
    world.sees("exchanges", [exchange("A", "disabled")]);
    world.passes("1s");
    world.replies("r1", "acknowledged");
    world.sees("exchanges", [exchange("A", "enabled")]);
    world.passes("1s");
    write(...world.findings);
    const told = taken().map(({ level, msg, change, state }) => [
      level,
      msg,
      ...(change === undefined ? [] : [change]),
      ...(state === undefined ? [] : [state]),
    ]);
    expect(told).toEqual([
      ["warn", "alert", "firing"],
      ["info", "remediation", "requested"],
      ["info", "remediation", "acknowledged"],
      ["info", "status changed", "status"],
      ["info", "alert", "resolved"],
      ["info", "remediation", "verified"],
    ]);
  });

  it("is a warning if a person should look", () => {
    const { write, taken } = logged();
    const world = scriptedWorld({ rules: [rule({ act: repair({ mode: "propose" }) })] });
    world.sees("exchanges", [exchange("A", "disabled")]);
    world.passes("1s");
    world.commands({ name: "kill", source: "operator" });
    write(...world.findings.filter(({ type }) => type !== "alert"));
    expect(taken().map(({ level, msg }) => `${String(level)} ${String(msg)}`)).toEqual(
      expect.arrayContaining([
        "warn proposed",
        "info suppressed",
        "warn kill switch",
        "info operator command",
      ]),
    );
  });

  it("has the entity, its rule and the rendered text of an alert", () => {
    const { write, taken } = logged();
    const world = scriptedWorld({ rules: [rule()] });
    world.sees("exchanges", [exchange("A", "disabled")]);
    write(...world.found("alert"));
    expect(taken().at(-1)).toMatchObject({
      alertname: "ExchangeDisabled",
      entity: "bsc/exchange/A",
      severity: "critical",
      summary: "disabled",
    });
  });

  it("is told in full at the level debug", () => {
    const { write, taken } = logged("debug");
    write(polled());
    const entity = { aggregator: "bsc", kind: "exchange", id: "A" };
    write({ type: "entity", change: "appeared", entity, detail: "enabled" });
    expect(taken().map(({ level, msg }) => [level, msg])).toEqual([
      ["debug", "polled"],
      ["debug", "entity"],
    ]);
  });
});
