import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { commandLine } from "../command-line.ts";
import type { Command } from "../../../src/domain/command.ts";
import type { WatchReading } from "../../../src/domain/watch.ts";
import { checkNames } from "../../../src/io/api/lists/known-names.ts";
import type { ServerSource } from "../../../src/io/api/server-source.ts";
import { createApp } from "../../../src/io/api/server.ts";
import { startServer } from "../../../src/io/http/app-server.ts";
import { scriptedWorld } from "../../core/world.ts";
import { ALICES_GATE, sourceOf } from "../../io/api/server-fixture.ts";

const undo: Array<() => unknown> = [];
afterEach(async () => {
  for (const one of undo.splice(0)) await one();
});

const program = commandLine;

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), "aggwatch-watch-"));
  undo.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const DESK = {
  kind: "sender",
  target: "0x1",
  alias: "desk",
  key: "sender/0x1",
  origins: ["config", "api"],
  source: "config",
} as const;

const READING: WatchReading = {
  aggregator: "bsc",
  entries: [
    DESK,
    { kind: "pool", target: "A/B", key: "pool/A/B", origins: ["file w.yaml"], source: "file" },
  ],
  sources: [
    { source: "file", name: "w.yaml", entries: [], successAt: 0, problem: "w.yaml:1:1: bad\nmore" },
    { source: "http", name: "desks", entries: undefined },
  ],
  conflicts: ["http desks: they disagree"],
  sweeps: [],
};

async function daemon(more: WatchReading["entries"] = []) {
  const commands: Command[] = [];
  const source: ServerSource = sourceOf(scriptedWorld({ rules: [] }), {
    gate: ALICES_GATE,
    watched: () => [{ ...READING, entries: [...READING.entries, ...more] }],
    command: (_by, _reason, asked) => {
      const command = checkNames(asked, source.names());
      if (command.ok) commands.push(command.value);
      return { accepted: true, subject: "", detail: "it is watched", durable: true };
    },
  });
  const server = await startServer(createApp(source), "127.0.0.1", 0);
  undo.push(server.close);
  const token = join(directory(), "token");
  writeFileSync(token, "a-token");
  return { env: { AGGWATCH_URL: server.url, AGGWATCH_TOKEN_FILE: token }, commands };
}

describe("aggwatch watch", () => {
  it("lists entries with their origins, and the state of each source", async () => {
    const { env } = await daemon();
    const { exitCode, printed } = await program(["watch", "list"], env);
    expect(exitCode).toBe(0);
    expect(printed).toContain("bsc: 2 watched");
    expect(printed).toMatch(/sender +0x1 +desk +config, api/);
    expect(printed).toMatch(/file w.yaml +0 +1970-\S+ +w.yaml:1:1: bad/);
    expect(printed).toMatch(/http desks +0 +not since the start/);
    expect(printed).toContain("conflict: http desks: they disagree");
    const pools = await program(["watch", "list", "pool", "--limit", "0", "--json"], env);
    expect(JSON.parse(pools.printed)).toMatchObject({ aggregators: [{ total: 1, entries: [] }] });
  });

  it("is summed up by `status`, by kind and source", async () => {
    const { env } = await daemon([{ ...DESK, target: "0x2", key: "sender/0x2" }]);
    const { printed } = await program(["status"], env);
    expect(printed).toMatch(/^  on the watch lists: 2 senders by config, 1 pool by file$/m);
  });

  it("adds and removes, on the one aggregator that there is", async () => {
    const { env, commands } = await daemon();
    const reason = ["--reason", "new desk"];
    const added = await program(["watch", "add", "sender", "0x2", "--alias", "b", ...reason], env);
    expect(added).toMatchObject({ exitCode: 0, printed: "done: it is watched" });
    await program(["watch", "remove", "sender", "0x2", "--aggregator", "eth", ...reason], env);
    expect(commands).toEqual([
      { name: "watch", aggregator: "bsc", entry: { kind: "sender", target: "0x2", alias: "b" } },
      { name: "unwatch", aggregator: "eth", entry: { kind: "sender", target: "0x2" } },
    ]);
  });

  it("lists those with a text in their target or their alias", async () => {
    const { env } = await daemon();
    const desks = await program(["watch", "list", "sender", "des"], env);
    expect(desks.printed).toMatch(/bsc: 1 watched\n.*\nsender +0x1 +desk/);
    const none = await program(["watch", "list", "sender", "no such"], env);
    expect(none.printed).toContain("bsc: 0 watched");
    const any = await program(["watch", "list", "des"], env);
    expect(any.printed).toMatch(/bsc: 1 watched\n.*\nsender +0x1 +desk/);
    const wrong = await program(["watch", "list", "senders", "des"], env);
    expect(wrong).toMatchObject({ exitCode: 1 });
    expect(wrong.complained).toContain("kind: must be one of sender, liquidation, pool, order");
  });

  it("removes by an alias, and says whose it is", async () => {
    const { env, commands } = await daemon();
    const reason = ["--reason", "old desk"];
    const removed = await program(["watch", "remove", "sender", "desk", ...reason], env);
    expect(removed).toMatchObject({ exitCode: 0, complained: "desk is 0x1" });
    expect(commands).toEqual([
      { name: "unwatch", aggregator: "bsc", entry: { kind: "sender", target: "0x1" } },
    ]);
  });

  it("removes by an alias among many that it is a part of", async () => {
    const many = Array.from({ length: 1_200 }, (_, index) => ({
      ...DESK,
      target: `0x2${index}`,
      alias: `desk-a${index}`,
    }));
    const { env, commands } = await daemon([...many, { ...DESK, target: "0x3", alias: "desk-a" }]);
    await program(["watch", "remove", "sender", "desk-a", "--reason", "old desk"], env);
    expect(commands).toMatchObject([{ entry: { target: "0x3" } }]);
  });

  it("never repeats what changes something, though it is to be watched", async () => {
    const { env, commands } = await daemon();
    await program(["watch", "remove", "sender", "0x2", "-w", "--reason", "old desk"], env);
    expect(commands).toHaveLength(1);
  });

  it("says of a word that is neither a kind nor in an entry what was probably meant", async () => {
    const { env } = await daemon();
    expect(await program(["watch", "list", "sendr"], env)).toMatchObject({
      exitCode: 0,
      printed: expect.stringMatching(
        /^bsc: 0 watched\n[^]*no target or alias has "sendr" in it, and there is no kind "sendr" \(did you mean "sender"\?\)$/,
      ),
    });
    const found = await program(["watch", "list", "des"], env);
    expect(found.printed).not.toContain("there is no kind");
  });

  it("says everything that is missing", async () => {
    const told = await program(["watch", "add", "sender"]);
    expect(told).toMatchObject({ exitCode: 2 });
    expect(told.complained).toContain("missing: TARGET, --reason");
  });
});

describe("aggwatch check and the watch lists", () => {
  it("finds what is wrong in their files, and what does not fit", async () => {
    const home = directory();
    mkdirSync(join(home, "watch"));
    const config = join(home, "aggwatch.yaml");
    const files = 'files: ["watch/*.json", named.yaml]';
    const senders = 'senders: [{ address: "0x1", alias: desk }]';
    writeFileSync(
      config,
      `aggregators:\n  - base_url: http://127.0.0.1:1\n    rate: { requests_per_second: 1 }\n    watch: { ${files}, ${senders} }\n`,
    );
    const many = Array.from({ length: 40 }, (_, index) => `0xa${index}`);
    const lists = [
      { targets: many, labels: { kind: "sender" } },
      { targets: ["0x2"], labels: { kind: "sender", alias: "desk" } },
    ];
    writeFileSync(join(home, "watch/a.json"), JSON.stringify(lists));
    writeFileSync(join(home, "watch/b.json"), '[{ "targets": [1] }]');
    const rules = join(import.meta.dirname, "../../../rules");
    const { exitCode, complained } = await program(["check", "--config", config, "--rules", rules]);
    expect(exitCode).toBe(1);
    expect(complained).toContain(`${home}/named.yaml: error: there is no such file`);
    expect(complained).toContain(`${home}/watch/b.json:1:16: error: this entry must be text`);
    expect(complained).toContain('the alias "desk" of sender 0x2 is that of 0x1 already');
    expect(complained).toContain("a sweep takes 42s at 1 requests/s, the schedule is 30s");
  });
});
