import { spawn } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, type TestContext } from "vitest";
import { childEnvironment } from "../child-environment.ts";
import { startAggregator } from "../acceptance/aggregator.ts";
import { MAIN, makeHome, startDaemon } from "../acceptance/daemon.ts";
import { withPeople } from "../acceptance/people.ts";
import { ACT_KEY, QUICK_RULES, quickConfig } from "../acceptance/quick.ts";
import { startReceiver } from "../acceptance/receiver.ts";

/** Each command line of aggwatch in README and docs is run as it is written, against a daemon and a simulator. */

const root = join(import.meta.dirname, "../..");
const documents = ["README.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)];

type Command = { readonly place: string; readonly args: readonly string[] };

/** What starts aggwatch, as people write it. */
const PROGRAM =
  /^(?:\w+=\S+ )*(?:aggwatch|npm run (?:--silent )?aggwatch --|npm run (?:--silent )?simulator(?: --)?|npm start --) ?/;

const commands = documents
  .filter((document) => document.endsWith(".md"))
  .flatMap((document): Command[] => {
    const text = readFileSync(join(root, document), "utf8");
    return [...text.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(({ 1: block = "" }) =>
      block
        .replaceAll(/\\\n\s*/g, "")
        .split("\n")
        .flatMap((line) => {
          const found = PROGRAM.exec(line);
          if (found === null) return [];
          const command = /simulator/.test(found[0]) ? ["simulator"] : [];
          if (found[0].includes("npm start")) command.push("run");
          const place = `${document}: ${line.replace(/\s+#.*/, "")}`;
          return [{ place, args: [...command, ...wordsOf(line.slice(found[0].length))] }];
        }),
    );
  });

/** As a shell reads them; `[--json]` stands for what may be left out, and is written here. */
function wordsOf(line: string): string[] {
  const plain = line.replace(/\s+[#>] ?.*/, "").replaceAll(/ \[|\]/g, " ");
  return [...plain.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
}

/** Those that do not end by themselves are ended once they have said something. */
const LASTING = new Set(["run", "demo", "simulator"]);

/** These read what a daemon left behind that has ended. */
const OFFLINE = new Set(["journal", "backtest", "replies"]);

/** What is about a proposal, a reply or a database that is not there; that it is understood is all that is expected. */
const ABOUT_OTHERS =
  /^(?:approve|deny|unquarantine|explain (?:LiquidationStuck )?liquidation|replies --data data 4711|journal copy)/;

/** What takes the place of a port that is taken, of a long simulation, and of a person at a terminal. */
const FURTHER: Readonly<Record<string, (args: readonly string[]) => readonly string[]>> = {
  demo: () => ["--port", "0"],
  simulator: () => ["--port", "0"],
  simulate: () => ["--runs", "1", "--hours", "0.02", "--workers", "1"],
  approve: (args) => (args.includes("--digest") ? [] : ["--yes"]),
};

async function world(context: TestContext) {
  const aggregator = await startAggregator(context);
  const hook = await startReceiver(context);
  const config = `${quickConfig({ url: aggregator.url, mode: "shadow" })}
record: { replies: { keep: changes } }
notify: { webhooks: [{ name: ops, url_env: OPS_WEBHOOK }] }
`;
  const home = makeHome(context, config, QUICK_RULES);
  const token = withPeople(home, config)("alice");
  const directory = dirname(home.config);
  for (const name of ["rules-new", "my/rules"])
    cpSync(home.rules, join(directory, name), { recursive: true });
  for (const name of ["my-token", "alices-token"]) copyFileSync(token, join(directory, name));
  writeFileSync(join(directory, "my.yaml"), config);
  symlinkSync(join(root, "deploy"), join(directory, "deploy"));
  const secrets = { ...ACT_KEY, OPS_WEBHOOK: hook.url };
  const before = await startDaemon(context, home, secrets);
  await before.line(({ msg }) => msg === "the journal is sound");
  // Its reply is kept.
  await before.line(({ msg, poller }) => msg === "polled" && poller === "pools");
  await before.end("SIGTERM");
  cpSync(home.data, join(directory, "ended"), { recursive: true });
  mkdirSync(join(directory, "ended/backups"));
  const backup = "ended/backups/journal-2026-01-31T12-00-00.000Z.sqlite";
  copyFileSync(join(directory, "ended/journal.sqlite"), join(directory, backup));
  const daemon = await startDaemon(context, home, secrets);
  const env = {
    ...childEnvironment(),
    ...secrets,
    AGGWATCH_URL: daemon.url,
    AGGWATCH_TOKEN_FILE: token,
  };
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  let files = 0;
  const here = (word: string): string =>
    word
      .replace(/^https:\/\/aggregator\.example.*|^http:\/\/127\.0\.0\.1:8080/, aggregator.url)
      .replace("http://127.0.0.1:9733", daemon.url)
      .replace("2026-01-31T12:00:00Z", inAnHour)
      .replace(/^DATA$/, "data")
      .replace(/^data(?=$|\/backups)/, "ended")
      // No backup goes into a file that is there.
      .replace(/^FILE$/, () => `file-${(files += 1)}`)
      .replace(/^KIND$/, "sender")
      .replace(/0x8a…$/, "0x8a0c1d5f3b7e92460d1f8b3a5c7e9f0b2d4a6c81");
  return { context, directory, env, here };
}

type Ended = { readonly code: number | null; readonly said: string };

function run(
  { context, directory, env, here }: Awaited<ReturnType<typeof world>>,
  args: readonly string[],
): Promise<Ended> {
  const [name = ""] = args;
  const further = FURTHER[name]?.(args) ?? [];
  const surroundings =
    name === "run"
      ? { AGGWATCH_LISTEN: "127.0.0.1:0", AGGWATCH_DATA: "other" }
      : OFFLINE.has(name)
        ? { AGGWATCH_DATA: "ended" }
        : {};
  const child = spawn(process.execPath, [MAIN, ...args.map(here), ...further], {
    cwd: directory,
    env: { ...env, ...surroundings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  context.onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  const hear = (chunk: Buffer): void => {
    said += chunk.toString();
    if (LASTING.has(name)) child.kill("SIGTERM");
  };
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, said })));
}

test("every command line in README and docs is understood, and does what it says where that can be here", async (context) => {
  expect(commands.map(({ place }) => place.replace(/:.*/, ""))).toContain("README.md");
  expect(commands.length).toBeGreaterThan(40);
  const around = await world(context);
  const wrong: string[] = [];
  for (const { place, args } of commands) {
    const { code, said } = await run(around, args);
    const isLasting = LASTING.has(args[0] ?? "");
    const isUnderstood = code !== 2 && code !== 70 && (code !== null || isLasting);
    const isDone = code === 0 || code === 3 || isLasting || ABOUT_OTHERS.test(args.join(" "));
    if (!isUnderstood || !isDone || /^\s+at .*:\d+:\d+\)?$/m.test(said))
      wrong.push(`${place}\n  exit ${code}: ${said.slice(0, 600)}`);
  }
  expect(wrong.join("\n")).toBe("");
});
