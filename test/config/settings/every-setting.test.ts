/** Tests src/config/settings/setting-entries.ts: every setting. */
import { createPrivateKey } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { setupOf } from "../../../src/cli/setup-of.ts";
import { entriesText } from "../../../src/config/settings/setting-entries.ts";
import { compileProfile } from "../../../src/aggregator/profile.ts";
import { settingChanges } from "../../../src/config/settings/setting-entries.ts";
import type { Settings } from "../../../src/config/settings/settings.ts";
import { settingsSchema } from "../../../src/config/settings/settings-schema.ts";
import { sectionName } from "../../../src/schema/section.ts";
import { elementOf, fieldOf, shapeOf } from "../../../src/schema/walk.ts";
import { silentLog } from "../../run/watchdog-setup.ts";
import { pem } from "../../io/tls-front.ts";
import { scan } from "../../architecture/scan.ts";
import { everySetting, type Sampled } from "./every-setting.ts";
import { load as loadSettings } from "./settings-text.ts";

/** A secret is what its file or variable is called, in capitals, so that each has another. */
const SECRET_OF = (name: string): string => `https://secret.example/${name.toUpperCase()}`;
/** Two writings of one key, and two certificates for it. */
const KEYS = {
  key_one: pem("server-key"),
  key_two: createPrivateKey(pem("server-key")).export({ type: "sec1", format: "pem" }).toString(),
};
const DATABASES = {
  database: "postgres://secret.example/one",
  database_one: "postgres://secret.example/one",
  database_two: "postgres://secret.example/two",
};
const ENV = { one: SECRET_OF("one"), two: SECRET_OF("two"), ...KEYS, ...DATABASES };
const FILES = {
  ...Object.fromEntries(
    ["secret", "ping", "hook", "key", "one", "two"].map((name) => [`etc/${name}`, SECRET_OF(name)]),
  ),
  ...Object.fromEntries(Object.entries(DATABASES).map(([name, url]) => [`etc/${name}`, url])),
  "etc/key_one.pem": KEYS.key_one,
  "etc/key_two.pem": KEYS.key_two,
  "etc/one.pem": pem("server"),
  "etc/two.pem": pem("expired"),
};

/** The two tokens files name their holders after themselves. */
const TOKENS = Object.fromEntries(
  ["one", "two"].map((name) => [
    `etc/${name}`,
    `- { name: ${name}, token_sha256: "${"0".repeat(64)}", scopes: [read] }`,
  ]),
);

function load({ key }: Sampled, config: unknown) {
  const files = key === "server.tokens_file" ? { ...FILES, ...TOKENS } : FILES;
  const text = JSON.stringify(config);
  const loaded = loadSettings({ text, env: ENV, files });
  if (loaded.ok) return loaded.value;
  const why = loaded.problem.map(({ path = key, message }) => `${path}: ${message}`).join("; ");
  throw new Error(`SAMPLES of every-setting.ts needs two sound values (${why})`);
}

const SETTINGS = everySetting();

/** What other keys are named by, start at, or are needed for. */
const NOT_ALONE = new Set(["name", "data", "type"]);

describe("every setting", () => {
  it.each(SETTINGS.map((one) => [one.key, one] as const))(
    "%s is noticed if it changes",
    (_, one) => {
      const [first, second] = one.configs.map((config) => load(one, config));
      if (first === undefined || second === undefined) throw new Error("two configs");
      const changed = settingChanges(first, second);
      const key = one.leaf.path.at(-1) ?? "";
      const ends = changed.map((change) => change.key.split(".").at(-1));
      expect(ends).toContain(key);
      // What is in a file or a variable is compared as well, and a tokens file names its holders.
      if (/(?<!kill)_(?:file|env)$/.test(key)) expect(ends.length).toBeGreaterThan(1);
      else if (!NOT_ALONE.has(key)) expect(ends).toEqual([key]);
      expect(settingChanges(first, first)).toEqual([]);
      expect(entriesText(first.entries)).not.toBe(entriesText(second.entries));
      expect(JSON.stringify([changed, first.entries, second.entries])).not.toContain(
        "secret.example",
      );
    },
  );

  it("is a field, or neither the docs nor a reload would know of it", () => {
    expect(noFields(settingsSchema).map((key) => `make ${key} by schema/fields.ts`)).toEqual([]);
  });

  it("holds no secret itself: that is in a file or a variable", () => {
    const plain = SETTINGS.filter(
      ({ leaf }) =>
        /pass|secret|token|credential|(?:api|private|access)_?key/i.test(leaf.path.at(-1) ?? "") &&
        !/_(?:file|env)$/.test(leaf.path.at(-1) ?? ""),
    );
    expect(plain.map(({ key }) => `${key} holds a secret: make it by secretKeys`)).toEqual([]);
  });

  it("is read by something", () => {
    const unread = SETTINGS.filter((one) => !isReadByName(one) && !reachesSetup(one));
    expect(unread.map(({ key }) => `${key} is in the schema, and nothing reads it`)).toEqual([]);
  });
});

/** The keys that are neither fields nor hold any. */
function noFields(schema: z.ZodType, key = ""): readonly string[] {
  const shape = shapeOf(schema);
  if (shape !== undefined)
    return Object.entries(shape).flatMap(([name, below]) => noFields(below, `${key}.${name}`));
  if (fieldOf(schema) !== undefined) return [];
  const element = elementOf(schema);
  return element === undefined ? [key] : noFields(element, `${key}[]`);
}

/** What the aggregators, the channels and the heartbeat are made with depends on it. */
function reachesSetup(one: Sampled): boolean {
  const [first, second] = one.configs.map((config) => madeOf(load(one, config)));
  return first !== second;
}

function madeOf(settings: Settings): string {
  const surroundings = { log: silentLog(), version: "", nodeVersion: "" };
  // An override of an endpoint that it refuses has been read.
  const refused = settings.aggregators.flatMap(({ wire }) => {
    const profile = compileProfile(wire);
    return profile.ok ? [] : profile.problem.map(({ message }) => message);
  });
  if (refused.length > 0) return refused.join();
  const { aggregators, notify, heartbeat, settings: own } = setupOf(settings, [], surroundings);
  return JSON.stringify([aggregators, notify, heartbeat, own.journal], revealed);
}

/** Secrets too: what was made differs if they do. `shown` is what a secret shows of itself. */
function revealed(this: Record<string, unknown>, key: string, shown: unknown): unknown {
  const value = this[key];
  const isSecret = typeof value === "object" && value !== null && "reveal" in value;
  return isSecret && typeof value.reveal === "function" ? (value.reveal() as unknown) : shown;
}

const sources = join(import.meta.dirname, "../../../src");
/** Where no setting of the daemon is read, so that a name that occurs there alone is another thing's. */
const OTHERS = /^(?:simulator|simulation|console|demo|rule-tests)\b/;
/** All other code that is not the schema itself, without comments and texts. */
const code = readdirSync(sources, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !path.endsWith("-schema.ts") && !OTHERS.test(path))
  .map((path) => scan({ path, text: readFileSync(join(sources, path), "utf8") }).code)
  .join("\n");

/** Sections that are called otherwise by those who read them. */
const READ_AS: Readonly<Record<string, string>> = {
  actions: "acting",
  enable_exchange: "budget",
  maintenance: "window",
};

/** What is handed over whole is read as `section.name`. */
const accessed = new Set(
  [...code.matchAll(/(\w+)(?:\(\))?\??\.(?=(\w+))/g)].map(
    ([, section, name]) => `${section}.${name}`,
  ),
);
/** Or as `{ name }` of what is called as the section, or has a type that is; or as `section: { name }`. */
const takenApart = [
  ...[...code.matchAll(/\{([^{}()]*)\}(?:: ([^=;]*))?\)? =([^;]{0,60})/g)].map(
    ([, names = "", type = "", value = ""]) => [names, `${type} ${value}`] as const,
  ),
  ...[...code.matchAll(/(\w+): \{([\w, ]+)\}/g)].map(
    ([, holder = "", names = ""]) => [names, holder] as const,
  ),
].map(([names, of]) => ({ names: new Set(names.split(/\W+/)), of: of.toLowerCase() }));

function isReadByName({ leaf, schema }: Sampled): boolean {
  const { path } = leaf;
  const name = sectionName(path.at(-1) ?? "", schema);
  const above = path.slice(0, -1).filter((step) => step !== "[]");
  // All endpoints are read alike.
  const section = above.includes("wire") ? "wire" : (above.at(-1) ?? "settings");
  return [section, READ_AS[section] ?? section].some(
    (holder) =>
      accessed.has(`${holder}.${name}`) ||
      takenApart.some(({ names, of }) => names.has(name) && of.includes(holder)),
  );
}
