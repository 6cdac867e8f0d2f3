/** Tests src/cli/operate/top, on a terminal that is made up, against the API as it is served. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it, vi, type TestContext } from "vitest";
import type { CliContext } from "../../../../src/cli/context.ts";
import { cellsOf } from "../../../../src/cli/print/cells.ts";
import { createApp } from "../../../../src/io/api/server.ts";
import { startServer } from "../../../../src/io/http/app-server.ts";
import { createEvents } from "../../../acceptance/events.ts";
import { ALICES_GATE, eventfulWorld, sourceOf } from "../../../io/api/server-fixture.ts";
import { commandLine } from "../../command-line.ts";

/** What `isDown` says of a request is answered with 503. */
async function daemon(context: TestContext, isDown?: (request: Request) => boolean) {
  const world = eventfulWorld();
  const source = sourceOf(world, {
    gate: ALICES_GATE,
  });
  const app = createApp(source);
  const down = () => new Response('{"error":"it is down"}', { status: 503 });
  const fetch: typeof app.fetch = (request, ...more) =>
    isDown?.(request) === true ? down() : app.fetch(request, ...more);
  const server = await startServer({ fetch }, "127.0.0.1", 0);
  const folder = mkdtempSync(join(tmpdir(), "aggwatch-top-"));
  const token = join(folder, "token");
  writeFileSync(token, "secret\n");
  context.onTestFinished(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });
  return { world, url: server.url, token };
}

/** A terminal: each screen that is drawn is an event, and keys are typed one after the other. */
function terminal(context: TestContext, height = 24, width = 80) {
  const screens = createEvents<string>(context, "screen");
  const raw: boolean[] = [];
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (is: boolean) => void raw.push(is),
  });
  const output = Object.assign(new PassThrough(), { rows: height });
  const change: Partial<CliContext> = {
    isTerminal: true,
    width,
    print: (text) => screens.add(text),
    streams: { input, output },
  };
  /** Types, and gives the first screen after it that holds a text. */
  const type = async (keys: string, shows: string): Promise<string> => {
    const next = screens.next((screen) => screen.includes(shows), { what: shows });
    input.write(keys);
    return await next;
  };
  return { screens, raw, change, input, type };
}

/** `top` of alice, who may do everything, once its first screen is there. */
async function alicesTop(context: TestContext) {
  const { url, token, world } = await daemon(context);
  const { screens, change, input, type } = terminal(context);
  const ran = commandLine(["top", "--url", url, "--token-file", token], {}, change);
  const first = await screens.first((one) => one.includes("pollers: "));
  return { world, screens, input, type, first, ran };
}

describe("aggwatch top", () => {
  it("shows the verdict, what waits and what is wrong, within the terminal, and leaves it as it was", async (context) => {
    const { url } = await daemon(context);
    const { screens, raw, change, type } = terminal(context);
    const ran = commandLine(["top", "--url", url], { NO_COLOR: "1" }, change);
    const screen = await screens.first((one) => one.includes("pollers: "));
    const lines = screen.replace("\u001B[H\u001B[J", "").split("\n");
    expect(lines.length).toBeLessThanOrEqual(23);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(screen).toMatch(/\d+ alerts? firing/);
    expect(screen).toMatch(/\n> proposal +p\d+ waiting/);
    expect(screen).toMatch(/\n {2}firing +critical +ExchangeDisabled/);
    expect(await type("j", "\n> firing")).toMatch(/\n {2}proposal/);
    expect(await type("\u001B[A", "\n> proposal")).toMatch(/\n {2}firing/);
    await type("q", "\u001B[?1049l");
    expect((await ran).exitCode).toBe(0);
    expect(raw).toEqual([true, false]);
  });

  it("marks the alerts that are silenced", async (context) => {
    const { world, screens, type, ran } = await alicesTop(context);
    const until = world.now + 3_600_000;
    world.commands({ name: "silence", scope: { rule: "PairDisabled" }, until });
    world.passes("2s");
    const marked = await screens.next((one) => one.includes("\ns1: "), { what: "the silence" });
    expect(stripVTControlCharacters(marked)).toMatch(
      /; 1 of them silenced\n.*\n {2}firing \(silenced by s1\) +PairDisabled.*\ns1: everything by rule/s,
    );
    await type("q", "\u001B[?1049l");
    await ran;
  });

  it("says which keys there are, until one is pressed", async (context) => {
    const { url } = await daemon(context);
    const { screens, change, type } = terminal(context);
    const ran = commandLine(["top", "--url", url], { NO_COLOR: "1" }, change);
    await screens.first((one) => one.includes("? help") && one.includes("pollers: "));
    expect(await type("?", "any key goes back")).toMatch(/\n +h +holds the entity/);
    expect(await type("x", "? help")).toContain("pollers: ");
    await type("q", "\u001B[?1049l");
    await ran;
  });

  it("shows what is chosen on a small terminal, too", async (context) => {
    const { url } = await daemon(context);
    for (const [height, width] of [
      [9, 80],
      [24, 42],
    ] as const) {
      const { screens, change, type } = terminal(context, height, width);
      const ran = commandLine(["top", "--url", url], { NO_COLOR: "1" }, change);
      const screen = await screens.first((one) => one.includes("\n> "));
      expect(screen.split("\n").length).toBeLessThan(height);
      expect(await type("j", "\n> "), `${height}`).toMatch(/\n> .*bsc\/\w+\/A/);
      await type("q", "\u001B[?1049l");
      await ran;
    }
  });

  it("is as high as the terminal also if names take two cells a character", async (context) => {
    const { url, world } = await daemon(context);
    world.sees("exchanges", [
      {
        kind: "exchange",
        id: "币安".repeat(15),
        facts: { name: "币安".repeat(15), status: "disabled" },
      },
    ]);
    const { screens, change, type } = terminal(context);
    const ran = commandLine(["top", "--url", url], { NO_COLOR: "1" }, change);
    const screen = await screens.first((one) => one.includes("币安"));
    const lines = screen.replace("\u001B[H\u001B[J", "").split("\n");
    expect(lines.filter((line) => cellsOf(line) > 80)).toEqual([]);
    await type("q", "\u001B[?1049l");
    await ran;
  });

  it("shows it on a terminal that does not know its size, too", async (context) => {
    const { url } = await daemon(context);
    const { screens, change, type } = terminal(context, 0);
    const ran = commandLine(["top", "--url", url], { NO_COLOR: "1" }, change);
    await screens.first((one) => one.includes("? help") && one.includes("\n> "));
    await type("q", "\u001B[?1049l");
    await ran;
  });

  it("keeps chosen what is chosen, wherever it stands after a while", async (context) => {
    const { url, world } = await daemon(context);
    const { screens, change, type } = terminal(context);
    const ran = commandLine(["top", "--url", url], { NO_COLOR: "1" }, change);
    await screens.first((one) => one.includes("> proposal"));
    const chosen = await type("jjj", "> pending");
    expect(chosen).toMatch(/\n> pending +warning +Later +bsc\/exchange\/A/);
    const listed = ["0", "A"].map((id) => ({
      kind: "exchange",
      id,
      facts: { name: id, status: "disabled" },
    }));
    world.sees("exchanges", listed);
    const later = await type("r", "exchange/0");
    expect(later).toMatch(/\n {2}firing .*bsc\/exchange\/0/);
    expect(later).toMatch(/\n> pending +warning +Later +bsc\/exchange\/A/);
    await type("q", "\u001B[?1049l");
    await ran;
  });

  it("shows all of a long answer, and refuses a length that is none before it asks why", async (context) => {
    const { url, token } = await daemon(context);
    const { screens, change, type } = terminal(context, 24, 60);
    const ran = commandLine(["top", "--url", url, "--token-file", token], {}, change);
    await screens.first((one) => one.includes("pollers: "));
    await type("h", "for (e.g. 30m): ");
    await type("soon\r", "soon is not a duration such as 30m or 2h: nothing was held");
    await type("h", "for (e.g. 30m): ");
    await type("30m\r", "why: ");
    const done = await type("their release\r", "done: h");
    expect(done.replaceAll(/\s+/g, " ")).toMatch(/done: h1: .* it covers \d+ entit.* firing$/);
    await type("q", "\u001B[?1049l");
    await ran;
  });

  it("says that a question failed until one is answered, without a key, and beside what was done", async (context) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    context.onTestFinished(() => void vi.useRealTimers());
    let isDown = true;
    const { url, token } = await daemon(context, ({ method }) => {
      if (method !== "POST") return isDown;
      isDown = true;
      return false;
    });
    const { screens, change, type } = terminal(context);
    const ran = commandLine(["top", "--url", url, "--token-file", token], {}, change);
    /** The screen after the next question, which is answered. */
    const recovered = async (): Promise<string> => {
      isDown = false;
      const asked = screens.next((one) => one.includes("pollers: ") && !one.includes("it is down"));
      await vi.advanceTimersByTimeAsync(2_000);
      return await asked;
    };
    await screens.first((one) => one.includes("it is down"));
    expect(await recovered()).toMatch(/q quit$/);
    await type("h", "for (e.g. 30m): ");
    await type("30m\r", "why: ");
    const failed = await type("their release\r", "it is down");
    expect(failed).toMatch(/done: h1: [^]*it is down/);
    expect(await recovered()).toContain("done: h1: ");
    await type("j", "q quit");
    await type("q", "\u001B[?1049l");
    await ran;
  });

  it("says for as long as the daemon does not answer that all else is old, also while it asks or explains", async (context) => {
    let isDown = false;
    const { url, token } = await daemon(context, () => isDown);
    const { screens, change, type } = terminal(context);
    const env = { NO_COLOR: "1" };
    const ran = commandLine(["top", "--url", url, "--token-file", token], env, change);
    const first = await screens.first((one) => one.includes("pollers: "));
    expect(first).toMatch(/\d+ alerts? firing/);
    isDown = true;
    const GONE =
      /^\S+aggwatch does not answer since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC; what is below is old\n/;
    const old = await type("r", "it is down");
    expect(old).toMatch(GONE);
    expect(old).not.toMatch(/\d+ alerts? firing|Watching:|actions:/);
    const asked = await type("h", "for (e.g. 30m): ");
    expect(asked).toMatch(GONE);
    expect(asked).toContain("it is down");
    await type("\u001B", "nothing was held");
    expect(await type("?", "any key goes back")).toContain("it is down");
    await type("x", "does not answer since");
    isDown = false;
    expect(await type("r", " firing (")).toMatch(/\d+ alerts? firing/);
    await type("q", "\u001B[?1049l");
    await ran;
  });

  it("finds out while it asks that the daemon does not answer any more", async (context) => {
    let isDown = false;
    const { url } = await daemon(context, () => isDown);
    const { screens, change, type } = terminal(context);
    const ran = commandLine(["top", "--url", url], {}, change);
    await screens.first((one) => one.includes("pollers: "));
    await type("h", "for (e.g. 30m): ");
    isDown = true;
    const told = await screens.next((one) => one.includes("does not answer since"));
    expect(told).toContain("for (e.g. 30m): ");
    await type("\u0003", "\u001B[?1049l");
    await ran;
  });

  it("quits by Ctrl-C whatever it shows", async (context) => {
    const { url } = await daemon(context);
    for (const [height, keys, shows] of [
      [24, "h", "for (e.g. 30m): "],
      [7, "a", "Enter shows more"],
      [24, "?", "any key goes back"],
    ] as const) {
      const { screens, raw, change, type } = terminal(context, height);
      const ran = commandLine(["top", "--url", url], {}, change);
      // oxlint-disable-next-line no-await-in-loop -- one terminal after the other
      await screens.first((one) => one.includes("> "));
      // oxlint-disable-next-line no-await-in-loop -- the same
      await type(keys, shows);
      // oxlint-disable-next-line no-await-in-loop -- the same
      await type("\u0003", "\u001B[?1049l");
      // oxlint-disable-next-line no-await-in-loop -- the same
      expect((await ran).exitCode).toBe(0);
      expect(raw).toEqual([true, false]);
    }
  });

  it("takes every character that is typed, and deletes it whole", async (context) => {
    const { world, input, type, ran } = await alicesTop(context);
    await type("h", "for (e.g. 30m): ");
    await type("30m\r", "why: ");
    const bytes = Buffer.from("币安 😀");
    // A terminal may give a character in two pieces.
    input.write(bytes.subarray(0, -2));
    input.write(bytes.subarray(-2));
    await type("😡\u007F!", "why: 币安 😀!_");
    await type("\r", "done: h");
    expect([...world.state.tables.hold.values()].at(-1)).toMatchObject({ reason: "币安 😀!" });
    await type("q", "\u001B[?1049l");
    await ran;
  });

  it("goes by pages, and to both ends", async (context) => {
    const { url, world } = await daemon(context);
    const listed = Array.from({ length: 60 }, (_, index) => ({
      kind: "exchange",
      id: `E${index + 10}`,
      facts: { name: `E${index + 10}`, status: "disabled" },
    }));
    world.sees("exchanges", listed);
    const { screens, change, type } = terminal(context);
    const ran = commandLine(["top", "--url", url], { NO_COLOR: "1" }, change);
    const first = await screens.first((one) => one.includes("pollers: "));
    const [chosen = ""] = /> .*/.exec(first) ?? [];
    const other = /\n> (?!proposal).*E\d+/;
    expect(await type("\u001B[6~", "> ")).toMatch(other);
    expect(await type("\u001B[5~", "> ")).toContain(chosen);
    const last = await type("\u001B[F", "> ");
    expect(last).toMatch(other);
    expect(last.slice(last.indexOf("\n> ") + 1)).not.toMatch(/\n {2}(firing|pending) /);
    expect(await type("\u001B[H", "> ")).toContain(chosen);
    await type("q", "\u001B[?1049l");
    await ran;
  });

  it("quits though the daemon does not answer, or though it is asking something", async (context) => {
    const silent = createServer(() => undefined).listen(0, "127.0.0.1");
    await once(silent, "listening");
    context.onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const { port } = silent.address() as AddressInfo;
    const { screens, change, type } = terminal(context);
    const hanging = commandLine(["top", "--url", `http://127.0.0.1:${port}`], {}, change);
    await screens.first((one) => one.includes("q quit"));
    await type("q", "\u001B[?1049l");
    expect((await hanging).exitCode).toBe(0);

    const { url } = await daemon(context);
    const other = terminal(context);
    const stop = new AbortController();
    const ran = commandLine(["top", "--url", url], {}, { ...other.change, signal: stop.signal });
    await other.screens.first((one) => one.includes("pollers: "));
    await other.type("h", "for (e.g. 30m): ");
    stop.abort();
    expect((await ran).exitCode).toBe(0);
  });

  it("holds what is chosen, with a reason, or leaves it", async (context) => {
    const { world, type, ran } = await alicesTop(context);
    await type("j", "> firing");
    await type("h", "for (e.g. 30m): ");
    await type("\u001B", "nothing was held");
    await type("h", "for (e.g. 30m): ");
    await type("31x\u007Fm", "for (e.g. 30m): 31m");
    await type("\r", "why: ");
    const done = await type("their release\r", "done: h");
    expect(done).toMatch(/done: h\d+: exchange \w+ of bsc until .*; it covers/);
    expect([...world.state.tables.hold.values()].at(-1)).toMatchObject({
      owner: "alice",
      reason: "their release",
      scope: { aggregator: "bsc", kind: "exchange" },
    });
    await type("q", "\u001B[?1049l");
    await ran;
  });

  it("silences what is chosen, with a reason, or leaves it", async (context) => {
    const { world, type, ran } = await alicesTop(context);
    await type("j", "> firing");
    await type("s", "silence exchange/");
    await type("\u001B", "nothing was silenced");
    const silences = () => [...world.state.tables.silence.values()];
    const before = silences().length;
    await type("s", "for (e.g. 30m): ");
    await type("30m\r", "why: ");
    await type("it is known\r", "done: s");
    expect(silences()).toHaveLength(before + 1);
    expect(silences().at(-1)).toMatchObject({ owner: "alice", reason: "it is known" });
    await type("q", "\u001B[?1049l");
    await ran;
  });

  it("names what is watched by its alias as well", async (context) => {
    const { url, world } = await daemon(context);
    const { entity, proposal } = world.state.tables;
    for (const [key, one] of proposal) {
      const facts = { ...one.shown.facts, alias: "main-pair" };
      proposal.set(key, { ...one, shown: { ...one.shown, facts } });
    }
    for (const [key, one] of entity)
      entity.set(key, { ...one, facts: { ...one.facts, alias: `alias-of-${one.kind}` } });
    const { screens, change, type } = terminal(context, 24, 200);
    const ran = commandLine(["top", "--url", url], { NO_COLOR: "1" }, change);
    const screen = await screens.first((one) => one.includes("pollers: "));
    expect(screen).toMatch(/proposal .* bsc\/pair\/A\/ORN-USDT \(main-pair\)/);
    expect(screen).toMatch(/firing .* bsc\/exchange\/A \(alias-of-exchange\)/);
    await type("q", "\u001B[?1049l");
    await ran;
  });

  it("denies a proposal that is shown, with a reason, or leaves it", async (context) => {
    const { world, first, type, ran } = await alicesTop(context);
    const [, id = ""] = /> proposal +(p\d+) waiting/.exec(first) ?? [];
    const denial = () =>
      [...world.state.tables.proposal.values()].find((one) => one.id === id)?.denial;
    const shown = await type("d", "deny this; why?");
    expect(shown).toContain("request: enablePair exchange=A assetPair=ORN-USDT");
    await type("\u001B", "nothing was denied");
    expect(denial()).toBeUndefined();
    await type("d", "deny this; why?");
    await type("it is meant to be off\r", "done: denied");
    expect(denial()).toMatchObject({ by: "alice", reason: "it is meant to be off" });
    await type("j", "> firing");
    await type("d", "choose a proposal to deny");
    await type("q", "\u001B[?1049l");
    await ran;
  });

  it("approves a proposal only after all of it was shown, by the digest that was shown", async (context) => {
    const { world, first, type, ran } = await alicesTop(context);
    const [, id = ""] = /> proposal +(p\d+) waiting/.exec(first) ?? [];
    const shown = await type("a", "approve this; why?");
    expect(shown).toContain("request: enablePair exchange=A assetPair=ORN-USDT");
    await type("it hangs\r", "approve this? yes/no: ");
    await type("no\r", "nothing was approved");
    const approvals = () =>
      [...world.state.tables.proposal.values()].find((one) => one.id === id)?.approvals.length;
    expect(approvals()).toBe(0);
    await type("a", "approve this; why?");
    await type("it hangs\r", "approve this? yes/no: ");
    await type("yes\r", "done: approved");
    expect(approvals() ?? 1).toBe(1);
    await type("\u0003", "\u001B[?1049l");
    await ran;
  });

  it("shows a proposal that is longer than the terminal a screen at a time, and then asks", async (context) => {
    const { url, token, world } = await daemon(context);
    const { screens, change, type } = terminal(context, 7);
    const env = { NO_COLOR: "1" };
    const ran = commandLine(["top", "--url", url, "--token-file", token], env, change);
    await screens.first((one) => one.includes("> proposal"));
    const isApproved = () =>
      [...world.state.tables.proposal.values()].some(({ approvals }) => approvals.length > 0);
    for (const [key, verb] of [
      ["a", "approve"],
      ["d", "deny"],
    ] as const) {
      const before = screens.all.length;
      const first = await type(key, "Enter shows more");
      expect(first).toMatch(/p\d+ \(\w+\): waiting, 0 of 1 approvals/);
      await type("too soon", "Enter shows more");
      let last = first;
      // oxlint-disable-next-line no-await-in-loop -- one screen after the other
      while (!last.includes(`${verb} this; why?`)) last = await type("\r", "Escape cancels");
      const seen = screens.all.slice(before);
      expect(seen.join("\n")).toContain("request: enablePair exchange=A assetPair=ORN-USDT");
      expect(seen.filter((screen) => screen.split("\n").length > 6)).toEqual([]);
      await type("\u001B", "nothing was");
      await type(key, "Enter shows more");
      await type("\u001B", "nothing was");
    }
    expect(isApproved()).toBe(false);
    await type("q", "\u001B[?1049l");
    await ran;
  });

  it("says what it cannot do: without a terminal, or without a daemon", async (context) => {
    const piped = await commandLine(["top"]);
    expect(piped).toMatchObject({ exitCode: 2, complained: expect.stringContaining("terminal") });
    const { screens, change, type } = terminal(context);
    const ran = commandLine(["top", "--url", "http://127.0.0.1:1"], {}, change);
    await screens.first((one) => one.includes("no aggwatch answers"));
    await type("q", "\u001B[?1049l");
    expect((await ran).exitCode).toBe(0);
  });
});
