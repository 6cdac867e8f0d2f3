/** Tests src/config/settings/settings-schema.ts: what has no `needsRestart` is in force after a reload. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { maintenanceSchema } from "../../src/config/settings/maintenance-schema.ts";
import { DEFAULT_ACTING, settingsSchema } from "../../src/config/settings/settings-schema.ts";
import { DEFAULT_LIMITS } from "../../src/domain/limits.ts";
import { succeed } from "../../src/domain/result.ts";
import { sectionName } from "../../src/schema/section.ts";
import { elementOf, schemaLeaves, shapeOf } from "../../src/schema/walk.ts";
import { startWatchdog, type Watchdog } from "../../src/run/watchdog.ts";
import type { DaemonSettings, Sources } from "../../src/run/setup.ts";
import { sendJson, startServer, type LocalServer } from "../io/local-server.ts";
import { temporaryDirectory } from "../io/temporary-directory.ts";
import { aggregatorSetup, daemonSettings, watchdogSetup } from "./watchdog-setup.ts";

/** What is read whenever the files are loaded: it is no part of the daemon's settings, or made into another part. */
const LOADED = /^(?:rules|aggregators|notify|server\.external_url|server\.tokens_file)\b/;

let directory: ReturnType<typeof temporaryDirectory>;
let aggregator: LocalServer;
let watchdog: Watchdog | undefined;

beforeEach(async () => {
  directory = temporaryDirectory();
  aggregator = await startServer((_, response) => sendJson(response, []));
});

afterEach(async () => {
  await watchdog?.stop();
  await aggregator.close();
  directory.remove();
});

it("every setting is read from the config of the last reload, unless it says that it needs a restart", async () => {
  const setup = watchdogSetup(directory.path, [aggregatorSetup(aggregator.baseUrl)]);
  const read = new Set<string>();
  const reloaded = recording(withWindow(daemonSettings(directory.path)), read);
  let hangUp = (): void => undefined;
  const sources: Sources = {
    load: () =>
      succeed({ setup: { ...setup, settings: reloaded }, changes: [], accept: () => undefined }),
    isOutdated: () => false,
    lastAccepted: () => undefined,
    directories: () => [],
    onHangup: (listener) => {
      hangUp = listener;
      return () => undefined;
    },
    another: () => sources,
  };
  const started = await startWatchdog(setup, { sources });
  if (!started.ok) throw new Error(started.problem);
  watchdog = started.value;
  hangUp();
  const { url, loop } = watchdog;
  for (const path of ["/readyz", "/api/v1/status", "/mcp", "/metrics"]) await fetch(url + path);
  // What the core is given whole, it reads when it decides.
  const { acting, limits } = loop().policy();
  expect(acting).toBe(reloaded.actions);
  expect(limits).toBe(reloaded.limits);
  const given = [
    ...Object.keys(DEFAULT_ACTING).map((name) => `actions.${name}`),
    ...Object.keys(DEFAULT_LIMITS).map((name) => `limits.${name}`),
  ];
  const kept = schemaLeaves(settingsSchema).filter(({ path, needsRestart }) => {
    if (needsRestart === true || LOADED.test(path.join("."))) return false;
    const name = namesOf(path).join(".");
    return !read.has(name) && !given.some((own) => `${name}.`.startsWith(`${own}.`));
  });
  expect(
    kept.map(({ path }) => `${path.join(".")} is not read after a reload: make it needsRestart(…)`),
  ).toEqual([]);
});

/** With a window that is open, so that all of it is looked at. */
function withWindow(settings: DaemonSettings): DaemonSettings {
  const window = maintenanceSchema.parse({
    name: "night",
    schedule: "* * * * *",
    duration: "1h",
    scope: { aggregator: "bsc", kind: "exchange", id: "BINANCE", rule: "ExchangeDisabled" },
    reason: "backup",
  });
  return { ...settings, maintenance: [window] };
}

/** The same, and notes the path of each property that is read. */
function recording<Value extends object>(value: Value, read: Set<string>, above = ""): Value {
  const made = new Map<PropertyKey, object>();
  return new Proxy(value, {
    get(of, key, self): unknown {
      const own: unknown = Reflect.get(of, key, self);
      if (typeof key === "symbol" || !Object.hasOwn(of, key)) return own;
      const path = above + (Array.isArray(of) ? "[]" : key);
      read.add(path);
      if (typeof own !== "object" || own === null) return own;
      const inner = made.get(key) ?? recording(own, read, `${path}.`);
      made.set(key, inner);
      return inner;
    },
  });
}

/** The names by which what runs reads the key. */
function namesOf(path: readonly string[]): string[] {
  let schema = settingsSchema as Parameters<typeof shapeOf>[0];
  return path.map((step) => {
    const below = step === "[]" ? elementOf(schema) : shapeOf(schema)?.[step];
    if (below === undefined) throw new Error(`there is no ${step} of ${path.join(".")}`);
    schema = below;
    return step === "[]" ? step : sectionName(step, below);
  });
}
