/** Tests src/cli/operate/target.ts, by the commands that take a target. */
import { afterEach, expect, it, vi } from "vitest";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp } from "../../../src/io/api/server.ts";
import { startServer } from "../../../src/io/http/app-server.ts";
import { entityKey } from "../../../src/domain/entity.ts";
import { kinds } from "../../../src/pollers/kinds.ts";
import { rule, factIs } from "../../core/fixtures.ts";
import { scriptedWorld } from "../../core/world.ts";
import { ALICES_GATE, sourceOf } from "../../io/api/server-fixture.ts";
import { commandLine } from "../command-line.ts";

const undo: Array<() => unknown> = [];
afterEach(async () => {
  for (const one of undo.splice(0)) await one();
});

/** A daemon that watches senders of which two have the same alias, and more with these aliases. */
async function daemon(aliases: readonly string[] = []) {
  const own = rule({ alert: "SwapStuck", kind: "sender", when: factIs("alias", "desk-a") });
  const world = scriptedWorld({ rules: [own], probes: "silent", alsoPolled: ["swaps"] });
  const sender = (address: string, alias: string) => ({
    kind: "sender",
    id: address,
    facts: { address, alias },
  });
  world.sees("swaps", [
    sender("0xa", "desk-a"),
    sender("0xb", "twin"),
    ...aliases.map((alias, index) => sender(`0xb${1_000 + index}`, alias)),
    sender("0xc", "twin"),
  ]);
  world.sees("pools", [{ kind: "pool", id: "OrionV2/ORN-USDT", facts: {} }]);
  const entity = { aggregator: "bsc", kind: "sender", id: "0xa" };
  const other = { ...entity, id: "0xb" };
  const found = [entity, other].map((one, seq) => ({
    at: 1_000,
    seq,
    finding: { type: "entity", entity: one, change: "appeared", detail: "seen" } as const,
  }));
  const source = sourceOf(world, {
    past: {
      ...sourceOf(world).past,
      between: ({ types }) => ({ found: types.includes("entity") ? found : [], next: undefined }),
    },
    explain: (_rule, one) => ({ ok: false, problem: `${entityKey(one)} is what was asked` }),
    names: () => ({ aggregator: ["bsc"], kind: [...kinds.keys()], rule: ["SwapStuck"] }),
    gate: ALICES_GATE,
  });
  const server = await startServer(createApp(source), "127.0.0.1", 0);
  const folder = mkdtempSync(join(tmpdir(), "aggwatch-target-"));
  undo.push(server.close, () => rmSync(folder, { recursive: true }));
  const token = join(folder, "token");
  writeFileSync(token, "secret\n");
  return async (...args: readonly string[]) =>
    await commandLine([...args, "--url", server.url], { AGGWATCH_TOKEN_FILE: token });
}

const HOLD = ["--for", "1h", "--reason", "maintenance"];

it("takes an alias for the id, with its kind or alone, and says whose it is", async () => {
  const run = await daemon();
  for (const target of ["sender/desk-a", "desk-a"]) {
    const held = await run("hold", target, ...HOLD);
    expect(held.complained).toBe(`${target} is sender/0xa`);
    expect(held.printed).toMatch(
      /^done: h\d: sender 0xa until .*; it covers 1 entity now, with 1 /,
    );
  }
  const explained = await run("explain", "SwapStuck", "sender/desk-a");
  // The fixture has nothing to explain; what is asked for is the id.
  expect(explained.complained).toMatch(/^sender\/desk-a is sender\/0xa\n/);
});

it("takes an entity as alerts print it, with its aggregator, wherever an entity is named", async () => {
  const run = await daemon();
  for (const [target, said] of [
    ["bsc/sender/0xa", ""],
    ["bsc/sender/desk-a", "bsc/sender/desk-a is bsc/sender/0xa"],
  ] as const) {
    for (const command of ["hold", "silence"]) {
      const held = await run(command, target, ...HOLD);
      expect(held).toMatchObject({ exitCode: 0, complained: said });
      expect(held.printed).toMatch(/^done: [hs]\d: sender 0xa of bsc until .*; it covers 1 entity/);
    }
    const explained = await run("explain", "SwapStuck", target);
    expect(explained.complained).toContain("bsc/sender/0xa is what was asked");
    const ended = await run("unquarantine", target, "--reason", "it is over");
    expect(ended.complained).toContain("bsc/sender/0xa is not quarantined");
    for (const list of ["alerts", "remediations"])
      expect((await run(list, "--entity", target)).printed).toContain("bsc/sender/0xa");
  }
});

it("refuses an aggregator that contradicts the entity's, as a mistake of the line", async () => {
  const run = await daemon();
  const contradicted = ["bsc/sender/0xa", "--aggregator", "eth"];
  for (const args of [
    ["hold", ...contradicted, ...HOLD],
    ["explain", "SwapStuck", ...contradicted],
    ["alerts", "--entity", ...contradicted],
  ])
    expect(await run(...args)).toMatchObject({
      exitCode: 2,
      printed: "",
      complained: "--aggregator eth contradicts bsc/sender/0xa, which is on bsc",
    });
  const same = await run("hold", "bsc/sender/0xa", "--aggregator", "bsc", ...HOLD);
  expect(same.printed).toMatch(/^done: h1: sender 0xa of bsc until /);
});

it("says that there is no aggregator, or no kind, of the name in an entity", async () => {
  const run = await daemon();
  for (const [target, problem] of [
    ["bcs/sender/0xa", 'there is no aggregator "bcs" (did you mean "bsc"?)'],
    ["bsc/sendr/0xa", 'there is no kind "sendr" (did you mean "sender"?)'],
  ] as const) {
    expect((await run("hold", target, ...HOLD)).complained).toContain(problem);
    expect((await run("alerts", "--entity", target)).complained).toContain(problem);
  }
});

it("says of a name alone that nothing is called so, and of a kind which one was meant", async () => {
  const run = await daemon();
  for (const command of ["hold", "silence"]) {
    expect(await run(command, "BINANC", ...HOLD)).toEqual({
      exitCode: 1,
      printed: "",
      complained: 'nothing that is watched is called "BINANC"; kind/id names what is gone',
    });
    expect((await run(command, "sendr", ...HOLD)).complained).toContain(
      'there is no kind "sendr" (did you mean "sender"?)',
    );
  }
});

it("says which entity a misspelt name probably means, by its id or its alias", async () => {
  const run = await daemon();
  for (const [name, meant] of [
    ["ORN-USDX", undefined],
    ["OrionV2-ORN-USDT", "pool/OrionV2/ORN-USDT"],
    ["desk-A1", "sender/desk-a"],
    ["twinn", "sender/twin"],
  ] as const)
    for (const line of [
      ["hold", name, ...HOLD],
      ["explain", "SwapStuck", name],
      ["alerts", "--entity", name],
      ["unquarantine", name, "--reason", "it is over"],
    ]) {
      const { complained } = await run(...line);
      const hint = meant === undefined ? "" : ` (did you mean "${meant}"?)`;
      expect(complained, line.join(" ")).toContain(
        `nothing that is watched is called "${name}"${hint};`,
      );
    }
  const other = await run("hold", "desk-A1", "--aggregator", "bsc", ...HOLD);
  expect(other.complained).toContain('(did you mean "sender/desk-a"?)');
});

it("takes an alias for the id among many that it is a part of", async () => {
  const many = ["desk-b", "twin"].flatMap((alias) =>
    Array.from({ length: 1_200 }, (_, index) => `${alias}${index}`),
  );
  const run = await daemon([...many, "desk-b"]);
  for (const target of ["sender/desk-b", "desk-b"]) {
    const held = await run("hold", target, ...HOLD);
    expect(held.complained).toBe(`${target} is sender/0xb3400`);
  }
  const twin = await run("hold", "sender/twin", ...HOLD);
  expect(twin.complained).toBe('"sender/twin" could be any of these: sender/0xb, sender/0xc');
});

it("refuses a name alone if too many ids begin with it to know whose it is", async () => {
  const many = Array.from({ length: 1_200 }, (_, index) => `desk-${index}`);
  const run = await daemon([...many, "0xb"]);
  const held = await run("hold", "0xb", ...HOLD);
  expect(held.exitCode).toBe(1);
  expect(held.complained).toBe('the ids of more than 1000 entities begin with "0xb": say kind/id');
  expect((await run("hold", "sender/0xb", ...HOLD)).complained).toBe("");
});

it("says that nothing has a name, rather than how an entity is written", async () => {
  const run = await daemon();
  expect(await run("explain", "SwapStuck", "desk-b")).toMatchObject({
    exitCode: 1,
    printed: "",
    complained:
      'nothing that is watched is called "desk-b" (did you mean "sender/desk-a"?); kind/id names what is gone',
  });
});

it("takes an alias for the whole key where a quarantine ends", async () => {
  const run = await daemon();
  const ended = await run("unquarantine", "desk-a", "--reason", "it is over");
  expect(ended.complained).toMatch(
    /^desk-a is bsc\/sender\/0xa\n.*bsc\/sender\/0xa is not quarantined/,
  );
  const whole = await run("unquarantine", "bsc/sender/0xa", "--reason", "it is over");
  expect(whole.complained).toMatch(/^refused.*bsc\/sender\/0xa is not quarantined/);
});

it("says that nothing is known of an entity whose quarantine is to end", async () => {
  const run = await daemon();
  const ended = async (target: string) =>
    await run("unquarantine", target, "--reason", "it is over");
  expect(await ended("sender/0xaa")).toEqual({
    exitCode: 1,
    printed: "",
    complained:
      'sender/0xaa is not known: it was never seen, or it is gone (did you mean "sender/0xa"?)',
  });
  expect((await ended("desk-b")).complained).toBe(
    'nothing that is watched is called "desk-b" (did you mean "sender/desk-a"?); aggregator/kind/id names what is gone',
  );
  // The quarantine of what is gone ends by its whole key.
  expect((await ended("bsc/sender/0xaa")).complained).toMatch(/^refused \(409\)/);
});

it("takes --alertname for --rule, as a rule is named so where alerts are listed", async () => {
  const run = await daemon();
  for (const flag of ["--rule", "--alertname"])
    expect((await run("silence", flag, "SwapStuck", ...HOLD)).printed).toMatch(
      /^done: s\d: everything by rule SwapStuck until /,
    );
});

it("takes an id, and a kind, as they are", async () => {
  const run = await daemon();
  const held = await run("hold", "sender/0xa", ...HOLD);
  expect(held).toMatchObject({ exitCode: 0, complained: "" });
  const all = await run("silence", "sender", ...HOLD);
  expect(all.printed).toMatch(/^done: s1: sender until .*; it covers 3 entities now/);
});

it("names what happened to an entity by its alias, too", async () => {
  const run = await daemon();
  const { printed } = await run("timeline", "--type", "entity");
  expect(printed).toMatch(/ entity +bsc\/sender\/0xa \(desk-a\) +appeared +seen/);
  expect(printed).toContain("0xb");
  for (const target of ["desk-a", "sender/desk-a", "sender/0xa", "bsc/sender/0xa"]) {
    const own = await run("timeline", "--type", "entity", "--entity", target);
    expect(own.printed.split("\n").slice(1), target).toEqual([
      expect.stringContaining("bsc/sender/0xa (desk-a)"),
    ]);
  }
  const byAlias = await run("timeline", "--type", "entity", "--text", "desk");
  expect(byAlias.printed).not.toContain("0xb");
  expect(await run("timeline", "--type", "entity", "--entity", "twin")).toMatchObject({
    exitCode: 1,
    complained: '"twin" could be any of these: sender/0xb, sender/0xc',
  });
});

it("refuses a name that several have", async () => {
  const run = await daemon();
  const held = await run("hold", "twin", ...HOLD);
  expect(held.exitCode).toBe(1);
  expect(held.complained).toBe('"twin" could be any of these: sender/0xb, sender/0xc');
});

it("takes an id that holds a slash for one, though no kind stands before it", async () => {
  const run = await daemon();
  for (const named of ["OrionV2/ORN-USDT", "bsc/OrionV2/ORN-USDT"]) {
    const held = await run("hold", named, ...HOLD);
    expect(held.complained).toMatch(new RegExp(`^${named} is (?:bsc/)?pool/OrionV2/ORN-USDT$`));
    expect(held.printed).toContain("it covers 1 entity now");
  }
  for (const line of [
    ["hold", "OrionV2/ORN-USDC", ...HOLD],
    ["explain", "SwapStuck", "bsc/OrionV2/ORN-USDC"],
    ["timeline", "OrionV2/ORN-USDC"],
  ])
    expect((await run(...line)).complained, line.join(" ")).toMatch(
      /^nothing .* called ".*OrionV2\/ORN-USDC" \(did you mean "(?:bsc\/)?pool\/OrionV2\/ORN-USDT"\?\)$/,
    );
  expect((await run("hold", "Uniswap/ETH-DAI", ...HOLD)).complained).toContain(
    'there is no kind "Uniswap"',
  );
});

it("warns loudly if nothing is covered, and says what was probably meant", async () => {
  const run = await daemon();
  for (const command of ["hold", "silence"]) {
    const { printed } = await run(command, "sender/0xaa", ...HOLD);
    expect(printed.split("\n")).toEqual([
      expect.stringContaining("it COVERS NOTHING NOW"),
      'did you mean "sender/0xa"?',
    ]);
  }
  for (const target of ["sender/elsewhere", "sender/0xa", "sender"])
    expect((await run("hold", target, ...HOLD)).printed, target).not.toContain("did you mean");
});

it("explains the past by an instant, or by how long ago it was", async () => {
  const run = await daemon();
  const bad = await run("explain", "SwapStuck", "sender/0xa", "--at", "yesterday");
  expect(bad.exitCode).toBe(2);
  expect(bad.complained).toContain("neither an instant");
  const past = await run("explain", "SwapStuck", "sender/0xa", "--at", "30s");
  expect(past.complained + past.printed).not.toContain("--at");
});

/** A daemon that closes each connection without an answer, and what it was asked. */
async function silentDaemon() {
  const asked: string[] = [];
  const server = createServer((request) => {
    asked.push(request.url ?? "");
    request.socket.destroy();
  });
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
  undo.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { asked, url: ["--url", `http://127.0.0.1:${port}`] };
}

it.each([
  ["explain ExchangeDisabled exchange/BINANC", "/api/v1/entities?"],
  ["explain OrionV2/ORN-USDT", "/api/v1/entities?limit=1&aggregator=OrionV2"],
  ["hold exchange/BINANC --for 1h --reason drill", "/api/v1/entities?"],
  ["unquarantine exchange/BINANC --reason drill", "/api/v1/entities?"],
  ["alerts exchange/BINANC", "/api/v1/entities?"],
])("%s asks a daemon that does not answer once, and waits for nothing else", async (line, path) => {
  const { asked, url } = await silentDaemon();
  const { exitCode, complained } = await commandLine([...line.split(" "), ...url]);
  expect(exitCode).toBe(1);
  expect(complained).toMatch(/^no aggwatch answers at http:.* --url says where\.$/);
  expect(new Set(asked.map((one) => one.slice(0, path.length)))).toEqual(new Set([path]));
});

it("goes on to ask a daemon that does not answer if it watches, and first what the name means", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  undo.push(vi.useRealTimers);
  const { asked, url } = await silentDaemon();
  const ending = new AbortController();
  let complaints = 0;
  const complain = (): void => {
    complaints += 1;
    if (complaints === 2) ending.abort("SIGINT");
    else setImmediate(() => vi.advanceTimersByTime(2_000));
  };
  const signal = { signal: ending.signal, complain };
  const line = ["explain", "Down", "exchange/BINANCE", "--watch", ...url];
  expect(await commandLine(line, {}, signal)).toMatchObject({ exitCode: 0 });
  expect(asked.length).toBeGreaterThan(1);
  expect(asked.filter((path) => !path.startsWith("/api/v1/entities?"))).toEqual([]);
});
