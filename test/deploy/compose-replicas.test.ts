/** Tests deploy/compose.replicas.yaml. */
import { expect, it } from "vitest";
import { parseDocument } from "yaml";
import { variableNames } from "../../src/config/settings/environment.ts";
import { read } from "./rule-files.ts";

type Service = {
  readonly environment: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
};

/** `!override` is Compose's own. */
const override = { tag: "!override", collection: "seq" } as const;
const text = read("deploy/compose.replicas.yaml");
const document = parseDocument(text, { merge: true, customTags: [override] });
const { services, volumes } = document.toJS() as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};

it("two replicas in Compose differ in name and port, and share a database that nobody else reaches", () => {
  expect(document.errors).toEqual([]);
  const { aggwatch, "aggwatch-b": other, database } = services;
  const [one, two] = [aggwatch?.environment ?? {}, other?.environment ?? {}];
  for (const name of Object.keys(two)) expect(variableNames()).toContain(name);
  expect(two["AGGWATCH_DATABASE_URL"]).toBe(one["AGGWATCH_DATABASE_URL"]);
  expect(two["AGGWATCH_JOURNAL_POSTGRES_REPLICA"]).not.toBe(
    one["AGGWATCH_JOURNAL_POSTGRES_REPLICA"],
  );
  expect(other?.ports).toEqual(["127.0.0.1:9734:9733"]);
  expect(database?.ports).toBeUndefined();
  expect(one["AGGWATCH_DATABASE_URL"]).toContain(`${database?.environment["POSTGRES_USER"]}:`);
  expect(Object.keys(volumes)).toEqual(["data-b", "database"]);
});
