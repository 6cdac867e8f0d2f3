/** Tests src/cli/setup-of.ts: which configs are the same for `aggwatch_config_hash`. */
import { expect, it } from "vitest";
import { loadSettings } from "../../src/config/settings/settings.ts";
import { setupOf } from "../../src/cli/setup-of.ts";
import { silentLog } from "../run/watchdog-setup.ts";

const DATABASE = { AGGWATCH_DATABASE_URL: "postgres://me:pass@db.example/aggwatch" };

function hashOf(env: Readonly<Record<string, string>>): number {
  const flags = { "base-url": "http://127.0.0.1:1" };
  const readText = () => ({ ok: false, problem: "not there" }) as const;
  const loaded = loadSettings({ env: { ...DATABASE, ...env }, flags, readText });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problem));
  const surroundings = { log: silentLog(), version: "", nodeVersion: "" };
  return setupOf(loaded.value, [], surroundings).configHash;
}

it.each([
  ["its name", { AGGWATCH_JOURNAL_POSTGRES_REPLICA: "pod-b" }],
  ["its address", { AGGWATCH_LISTEN: "127.0.0.1:9734" }],
  ["its data directory", { AGGWATCH_DATA: "data-b" }],
])("a replica has the hash of another that differs from it in %s alone", (_what, env) => {
  const other = {
    AGGWATCH_JOURNAL_POSTGRES_REPLICA: "pod-a",
    AGGWATCH_LISTEN: "127.0.0.1:9733",
    AGGWATCH_DATA: "data-a",
  };
  expect(hashOf({ ...other, ...env })).toBe(hashOf(other));
});

it("a replica with another mode has another hash", () => {
  expect(hashOf({ AGGWATCH_ACTIONS_MODE: "act" })).not.toBe(hashOf({}));
});
