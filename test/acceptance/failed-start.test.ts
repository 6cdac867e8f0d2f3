import { existsSync, truncateSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, type TestContext } from "vitest";
import { openJournal } from "../../src/io/journal/journal.ts";
import { startAggregator, type Aggregator } from "./aggregator.ts";
import { makeHome, runArguments, startCli, startDaemon, type Home } from "./daemon.ts";
import { ACT_KEY, QUICK_RULES, quickConfig } from "./quick.ts";
import { startReceiver, type Receiver } from "./receiver.ts";
import { SILENT_HOST, silentNames } from "./silent-names.ts";

/** A port that something else listens on. */
async function takenPort(context: TestContext): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

type Start = {
  readonly context: TestContext;
  readonly home: Home;
  readonly aggregator: Aggregator;
  readonly receiver: Receiver;
};

async function prepare(context: TestContext): Promise<Start> {
  const aggregator = await startAggregator(context);
  const receiver = await startReceiver(context);
  const config = `${quickConfig({ url: aggregator.url, mode: "shadow" })}
notify:
  webhooks: [{ name: hook, url_env: HOOK_URL }]
  heartbeat: { url_env: HOOK_URL }
`;
  return { context, home: makeHome(context, config, QUICK_RULES), aggregator, receiver };
}

/** The journal of a daemon that ran before. */
function journalOf({ data }: Home): string {
  const journal = openJournal(data, {});
  if (!journal.ok) throw new Error(journal.problem);
  journal.value.close();
  return join(data, "journal.sqlite");
}

type Failure = {
  readonly what: string;
  /** Makes the start fail; gives arguments that come after those of a good start. */
  readonly arrange: (start: Start) => readonly string[] | Promise<readonly string[]>;
  readonly says: RegExp;
};

const FAILURES: readonly Failure[] = [
  {
    what: "a port that is taken",
    arrange: async ({ context }) => ["--listen", `127.0.0.1:${await takenPort(context)}`],
    says: /cannot listen on 127\.0\.0\.1:\d+/,
  },
  {
    what: "a host that does not resolve",
    arrange: () => ["--listen", "no-such-host.invalid:9733"],
    says: /cannot listen on no-such-host\.invalid:9733/,
  },
  {
    what: "a host whose name server does not answer",
    arrange: () => ["--listen", `${SILENT_HOST}:9733`],
    says: /cannot listen on host\.silent\.invalid:9733 \(.* does not resolve within 2s\)/,
  },
  {
    what: "a journal that another process holds",
    arrange: ({ context, home }) => {
      const journal = openJournal(home.data, {});
      if (!journal.ok) throw new Error(journal.problem);
      context.onTestFinished(journal.value.close);
      return [];
    },
    says: /another aggwatch/,
  },
  {
    what: "a data directory that cannot be made",
    arrange: ({ home }) => {
      writeFileSync(join(home.data, "file"), "");
      return ["--data", join(home.data, "file", "below")];
    },
    says: /file\/below/,
  },
  {
    what: "a config with a problem",
    arrange: ({ home }) => {
      writeFileSync(home.config, "aggregators: 3\n");
      return [];
    },
    says: /aggwatch\.yaml:1:\d+: error/,
  },
  {
    what: "rules with a problem",
    arrange: ({ home }) => {
      writeFileSync(
        join(home.rules, "rules.yaml"),
        "groups: [{ name: a, rules: [{ alert: B }] }]\n",
      );
      return [];
    },
    says: /rules\.yaml:1:\d+: error/,
  },
  {
    what: "a damaged journal",
    arrange: ({ home }) => {
      truncateSync(journalOf(home), 6_000);
      return [];
    },
    says: /journal/,
  },
  {
    what: "a journal of a newer aggwatch",
    arrange: ({ home }) => {
      const database = new DatabaseSync(journalOf(home));
      database.exec("PRAGMA user_version = 999");
      database.close();
      return [];
    },
    says: /newer/,
  },
  {
    what: "a secret that is not there",
    arrange: ({ home }) => {
      writeFileSync(
        home.config,
        'aggregators: [{ base_url: "http://127.0.0.1:1", auth: { act: { type: bearer, value_env: NOT_SET } } }]\n',
      );
      return [];
    },
    says: /NOT_SET/,
  },
];

describe.concurrent("a start of `run` that fails", () => {
  it.for(FAILURES)(
    "ends the process with exit code 1, says why, and has sent nothing: $what",
    async ({ arrange, says }, context) => {
      const start = await prepare(context);
      const more = await arrange(start);
      const env = { ...ACT_KEY, ...silentNames(context), HOOK_URL: start.receiver.url };
      const ended = await startCli(context, [...runArguments(start.home), ...more], env).ended;
      expect(ended).toMatchObject({ code: 1, signal: null });
      expect(ended.err + ended.out).toMatch(says);
      expect(start.aggregator.heard).toEqual([]);
      expect(start.receiver.seen).toEqual([]);
    },
  );

  it("closes a journal that it has opened", async (context) => {
    const { home } = await prepare(context);
    const listen = `127.0.0.1:${await takenPort(context)}`;
    const args = [...runArguments(home), "--listen", listen];
    const env = { ...ACT_KEY, HOOK_URL: "http://127.0.0.1:1" };
    expect(await startCli(context, args, env).ended).toMatchObject({ code: 1 });
    const journal = join(home.data, "journal.sqlite");
    // SQLite removes the log of what is closed; that of a process that only died stays.
    expect([existsSync(journal), existsSync(`${journal}-wal`)]).toEqual([true, false]);
  });
});

describe.concurrent("a start of `demo` or `simulator` that fails", () => {
  it.for([
    { args: ["demo", "--simulator-port", "0", "--port", "TAKEN"], says: /cannot listen/ },
    { args: ["demo", "--port", "0", "--simulator-port", "TAKEN"], says: /EADDRINUSE/ },
    {
      args: ["demo"],
      env: { TMPDIR: "/no/such/directory" },
      says: /cannot start: .*no.such.directory/,
    },
    { args: ["demo", "--port", "70000"], says: /--port: 70000 is not a port/, code: 2 },
    { args: ["simulator", "--port", "TAKEN"], says: /cannot listen/i },
    {
      args: ["simulator", "--host", "no-such-host.invalid", "--port", "0"],
      says: /cannot listen/i,
    },
    {
      args: ["simulator", "--host", SILENT_HOST, "--port", "0"],
      says: /does not resolve within 2s/,
    },
    { args: ["simulator", "--port", "70000"], says: /--port: 70000 is not a port/, code: 2 },
    { args: ["simulator", "--scenario", "/no/such/story.yaml"], says: /story\.yaml/ },
    { args: ["simulator", "--act-key-file", "/no/such/key"], says: /no\/such\/key/ },
  ])(
    "ends the process with the exit code that fits, and says why: $args",
    async ({ args, env = {}, says, code = 1 }, context) => {
      const taken = String(await takenPort(context));
      const given = args.map((arg) => (arg === "TAKEN" ? taken : arg));
      const ended = await startCli(context, given, { ...silentNames(context), ...env }).ended;
      expect(ended).toMatchObject({ code, signal: null });
      expect(ended.err).toMatch(says);
    },
  );
});

describe.concurrent("SIGTERM and SIGINT while it starts", () => {
  const commands = {
    run: async (context: TestContext) => {
      const { home, receiver } = await prepare(context);
      return startCli(context, runArguments(home), { ...ACT_KEY, HOOK_URL: receiver.url });
    },
    demo: (context: TestContext) => startCli(context, ["demo", "--port", "0"]),
    simulator: (context: TestContext) => startCli(context, ["simulator", "--port", "0"]),
  };
  const moments = [0, 200, 400, 800];
  const table = Object.keys(commands).flatMap((command) =>
    (["SIGTERM", "SIGINT"] as const).map((signal) => ({ command, signal })),
  );
  it.for(table)("end $command at any moment: $signal", async ({ command, signal }, context) => {
    for (const moment of moments) {
      const child = await commands[command as keyof typeof commands](context);
      setTimeout(() => child.process.kill(signal), moment);
      const ended = await child.ended;
      // Before the handlers are there the signal itself ends it.
      if (ended.signal === null) expect(ended.code, `after ${moment} ms: ${ended.err}`).toBe(0);
      else expect(ended.signal).toBe(signal);
    }
  });
});

describe.concurrent("SIGTERM while a name server does not answer", () => {
  it("ends a start that waits for the address to listen on", async (context) => {
    const { home, receiver } = await prepare(context);
    const silence = { ...silentNames(context), SIGNAL_AT_LOOKUP: "SIGTERM" };
    const env = { ...ACT_KEY, ...silence, HOOK_URL: receiver.url };
    const args = [...runArguments(home), "--listen", `${SILENT_HOST}:9733`];
    expect(await startCli(context, args, env).ended).toMatchObject({ code: 0, err: "" });
  });

  it("ends a daemon whose aggregator is looked up", async (context) => {
    const config = quickConfig({ url: `http://${SILENT_HOST}`, mode: "act" });
    const home = makeHome(context, config, QUICK_RULES);
    const daemon = await startDaemon(context, home, { ...ACT_KEY, ...silentNames(context) });
    expect(await daemon.end("SIGTERM")).toBe(0);
  });
});
