/**
 * The floors of the house. Imports go down only, and the pure floors hold nothing that could make
 * two runs on the same events differ.
 */

/** Which folders of src each folder may import. What is not listed here has no place in src. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = mayImport({
  domain: [],
  /** The kinds of value that settings, rules and files are made of, as zod schemas. */
  schema: ["domain"],
  core: ["domain"],
  aggregator: ["domain"],
  pollers: ["domain", "aggregator"],
  actions: ["domain", "aggregator"],
  notifiers: ["schema"],
  config: ["core", "pollers", "actions", "notifiers"],
  /** The domain only, so that it cannot share the daemon's misunderstandings of the interface. */
  simulator: ["domain"],
  "rule-tests": ["config"],
  io: ["config", "simulator"],
  record: ["io"],
  run: ["record"],
  backtest: ["run"],
  simulation: ["run"],
  demo: ["run"],
  cli: ["rule-tests", "backtest", "simulation", "demo"],
  "main.ts": ["cli"],
});

/** Each folder with those named, and all that these may import, so that a floor is said once. */
function mayImport(
  direct: Readonly<Record<string, readonly string[]>>,
): Readonly<Record<string, readonly string[]>> {
  const all: Record<string, string[]> = {};
  for (const [folder, below] of Object.entries(direct))
    all[folder] = [...new Set(below.flatMap((name) => [...(all[name] ?? []), name]))];
  return { ...all, "main.ts": ["cli"], console: ["io"] };
}

/** The files that declare types to a floor below, which cannot import them: docs/decisions/0010-one-fact-one-home.md. */
export const DECLARE_BELOW = [
  "src/core/act/guards/index.ts",
  "src/config/settings/settings-schema.ts",
];

/**
 * The console runs in a browser: of the rest of src it imports the types of the API's answers alone, and this
 * folder, as what unmasks a name for people, and what ranks severities, must not be written twice.
 */
export const CONSOLE_TYPES = "src/io/api/";
export const CONSOLE_SHARES = "src/domain/shown/";

/** Synchronous and deterministic: no clock, random, timer, process, node:*, promise or log. */
export const SYNCHRONOUS = [
  "domain",
  "schema",
  "core",
  "aggregator",
  "pollers",
  "actions",
  "notifiers",
];

/** Deterministic, though it may wait: its clock and its random numbers are handed in. */
export const DETERMINISTIC = [...SYNCHRONOUS, "simulator"];

/** Folders that may name the modules of Node. */
export const MAY_NAME_NODE = [
  "config",
  "rule-tests",
  "io",
  "record",
  "run",
  "backtest",
  "simulation",
  "demo",
  "cli",
];

/** The folders that may import each library. A library that is not listed may not be imported. */
export const LIBRARIES: Readonly<Record<string, readonly string[]>> = {
  "@hono/node-server": ["io"],
  "@hono/zod-openapi": ["io"],
  "@marcbachmann/cel-js": ["config"],
  "@modelcontextprotocol/server": ["io", "cli"],
  "@noble/hashes": ["core", "simulator"],
  "@opentelemetry/api": ["io"],
  "@opentelemetry/exporter-trace-otlp-http": ["io"],
  "@opentelemetry/resources": ["io"],
  "@opentelemetry/sdk-trace": ["io"],
  "@preact/signals": ["console"],
  commander: ["cli"],
  got: ["io"],
  hono: ["io", "simulator"],
  htm: ["console"],
  jsonata: ["aggregator", "config", "io"],
  /** The config only reads and checks patterns with it. */
  "node-cron": ["config", "io"],
  nodemailer: ["io"],
  "p-retry": ["io"],
  pg: ["io"],
  pino: ["io"],
  "pino-pretty": ["io"],
  preact: ["console"],
  "prom-client": ["io"],
  re2js: ["config"],
  yaml: ["config", "simulator", "io"],
  zod: [
    "schema",
    "aggregator",
    "pollers",
    "actions",
    "notifiers",
    "config",
    "rule-tests",
    "simulator",
    "io",
    "cli",
  ],
};

/** Something that a folder may not write, and what to write instead. */
export type Ban = {
  readonly pattern: RegExp;
  readonly what: string;
  readonly instead: string;
};

const NO_CLOCK: readonly Ban[] = [
  {
    pattern: /\bDate\.now\b/g,
    what: "Date.now()",
    instead: "take `at` from the event, or a `Clock` (src/domain/time.ts)",
  },
  {
    pattern: /\bnew Date\(\s*\)|\bnew Date\b(?!\s*\()|(?<!new\s)\bDate\(/g,
    what: "the current Date",
    instead: "take `at` from the event, or a `Clock` (src/domain/time.ts)",
  },
  {
    pattern: /\bperformance\.\w+/g,
    what: "performance",
    instead: "take two instants and subtract them",
  },
];

const NO_RANDOM: readonly Ban[] = [
  {
    pattern: /\bMath\.random\b/g,
    what: "Math.random()",
    instead: "take a seeded random function as an argument",
  },
  {
    pattern: /(?<![\w$.])crypto\.\w+/g,
    what: "crypto",
    instead: "derive ids from the event, or take them as an argument",
  },
];

const NO_TIMERS: readonly Ban[] = [
  {
    pattern: /\b(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b/g,
    what: "a timer",
    instead: "ask for it with an effect, or let a `tick` event bring the time",
  },
  {
    pattern: /(?<![\w$.])fetch\s*\(/g,
    what: "fetch()",
    instead: "describe the request as data; src/io sends it",
  },
];

const NO_WAITING: readonly Ban[] = [
  {
    pattern: /(?<![\w$.])(?:async|await)\b(?!\s*:)/g,
    what: "async or await",
    instead: "return the wish as data; src/io carries it out and brings the answer as an event",
  },
  {
    pattern: /(?<![\w$.])Promise\b/g,
    what: "Promise",
    instead: "return a value; src/io does what takes time",
  },
];

const NO_MEMORY: readonly Ban[] = [
  {
    pattern:
      /^(?:export )?(?:let\b|const \w+[^=\n]* = new (?:Weak)?(?:Map|Set)(?:<[^\n]*>)?\(\))/gm,
    what: "memory of a module",
    instead: "keep it in `State` (src/core/state.ts) or in a value that is handed in",
  },
];

const EVERYWHERE: readonly Ban[] = [
  {
    pattern: /(?<![\w$.])console\b/g,
    what: "console",
    instead: "give a finding or a line to the context's `print`, or log with src/io's logger",
  },
  {
    pattern: /\bexport default\b|\bas default\b/g,
    what: "a default export",
    instead: "a named export, so that a thing has one name everywhere",
  },
];

const NO_PROCESS: Ban = {
  pattern: /(?<![\w$.])process\b(?!\s*[:(])|["']node:process["']/g,
  what: "process",
  instead: "take it from the command's context; only src/main.ts names it",
};

/** What a file of src may not write, by its folder (or by its name, for what is not in one). */
export function bansFor(folder: string): readonly Ban[] {
  return [
    ...EVERYWHERE,
    ...(folder === "main.ts" ? [] : [NO_PROCESS]),
    ...(["io", "console", "main.ts"].includes(folder) ? [] : NO_CLOCK),
    ...(DETERMINISTIC.includes(folder) ? [...NO_RANDOM, ...NO_TIMERS] : []),
    ...(SYNCHRONOUS.includes(folder) ? [...NO_WAITING, ...NO_MEMORY] : []),
  ];
}
