/** Tests src/cli: that what the documents name as a command line, within their sentences too, is understood. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { commandLine } from "./command-line.ts";

const root = join(import.meta.dirname, "../..");
const documents = [
  "README.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

type Mention = { readonly place: string; readonly args: readonly string[] };

/** Command lines in code within a sentence, which may be broken over two lines. */
const mentions = documents.flatMap((document): Mention[] =>
  [
    ...readFileSync(join(root, document), "utf8")
      .replaceAll(/^ *```[^]*?^ *```$/gm, "")
      .matchAll(/`(?:[A-Z_]+=\S+ )?aggwatch ([^`]+)`/g),
  ].map(([, line = ""]) => ({
    place: `${document}: aggwatch ${line.replaceAll(/\s+/g, " ")}`,
    args: wordsOf(line),
  })),
);

/** As a shell reads them; what is in brackets may be left out. */
function wordsOf(line: string): string[] {
  const plain = line.replaceAll(/ \[[^\]]*\]| >.*$/g, "");
  return [...plain.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare = ""]) => quoted ?? bare);
}

/** These go on by themselves, or take long: that their options are known is all that is asked. */
const LASTING = new Set(["run", "demo", "simulator", "simulate", "top", "mcp", "test"]);

/** No daemon answers there, so what is understood ends with 1, and what is not with 2. */
const NOWHERE = {
  AGGWATCH_URL: "http://127.0.0.1:1",
  AGGWATCH_TOKEN_FILE: join(root, "package.json"),
  AGGWATCH_DATA: join(root, "no-such-directory"),
};

async function isUnderstood(args: readonly string[]): Promise<boolean> {
  const [name = ""] = args;
  const help = (await commandLine([...args, "--help"], NOWHERE)).exitCode === 0;
  if (!help || LASTING.has(name)) return help;
  // Without any option it may be a mention of the command rather than a line to be typed.
  const isMention = args.every((word) => !word.startsWith("-"));
  const yes = name === "approve" && !args.includes("--digest") ? ["--yes"] : [];
  return isMention || (await commandLine([...args, ...yes], NOWHERE)).exitCode !== 2;
}

/** An option at the end may be named without its value. */
function withValue(args: readonly string[]): readonly string[] {
  return args.at(-1)?.startsWith("--") === true ? [...args, "1"] : args;
}

it("every command that README, docs and runbooks name is understood as it is written", async () => {
  expect(mentions.filter(({ place }) => place.startsWith("docs/runbooks/")).length).toBeGreaterThan(
    50,
  );
  const wrong: string[] = [];
  for (const [, same] of Map.groupBy(mentions, ({ args }) => args.join(" "))) {
    const [{ args } = { args: [] }] = same;
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const isKnown = (await isUnderstood(args)) || (await isUnderstood(withValue(args)));
    if (!isKnown) wrong.push(...same.map(({ place }) => place));
  }
  expect(wrong).toEqual([]);
});
