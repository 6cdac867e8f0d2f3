/** Tests deploy/compose.replicas.yaml. */
import pg from "pg";
import { afterEach, expect, it, vi } from "vitest";
import { parseDocument } from "yaml";
import { variableNames } from "../../src/config/settings/environment.ts";
import { connectionOf } from "../../src/io/postgres/connection.ts";
import { read, readYaml } from "./rule-files.ts";

type Service = {
  readonly environment: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[];
};

/** `!override` is Compose's own. */
const override = { tag: "!override", collection: "seq" } as const;
const text = read("deploy/compose.replicas.yaml");
const document = parseDocument(text, { merge: true, customTags: [override] });
const { services, volumes, networks } = document.toJS() as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: Readonly<Record<string, unknown>>;
};

/** Compose hands it to the driver of the database, which is not asked by a name of ours. */
const PASSWORD = "PGPASSWORD";

afterEach(() => {
  vi.unstubAllEnvs();
});

it("two replicas in Compose differ in name and port, and share a database that nobody else reaches", () => {
  expect(document.errors).toEqual([]);
  const { aggwatch, "aggwatch-b": other, database } = services;
  const [one, two] = [aggwatch?.environment ?? {}, other?.environment ?? {}];
  for (const name of Object.keys(two).filter((each) => each !== PASSWORD))
    expect(variableNames()).toContain(name);
  expect(two["AGGWATCH_DATABASE_URL"]).toBe(one["AGGWATCH_DATABASE_URL"]);
  expect(two["AGGWATCH_JOURNAL_POSTGRES_REPLICA"]).not.toBe(
    one["AGGWATCH_JOURNAL_POSTGRES_REPLICA"],
  );
  expect(other?.ports).toEqual(["127.0.0.1:9734:9733"]);
  expect(database?.ports).toBeUndefined();
  expect(one["AGGWATCH_DATABASE_URL"]).toContain(`${database?.environment["POSTGRES_USER"]}@`);
  expect(Object.keys(volumes)).toEqual(["data-b", "database"]);
});

it("the database's password may have any characters, as replicas get the very one that the database gets", () => {
  const { aggwatch, "aggwatch-b": other, database } = services;
  const password = "p@s/s %40:#?$x'";
  for (const environment of [aggwatch?.environment ?? {}, other?.environment ?? {}]) {
    expect(environment[PASSWORD]).toBe(database?.environment["POSTGRES_PASSWORD"]);
    vi.stubEnv(PASSWORD, password);
    const client = new pg.Client(connectionOf(environment["AGGWATCH_DATABASE_URL"] ?? ""));
    expect([client.user, client.password, client.host]).toEqual(["aggwatch", password, "database"]);
  }
});

it("the database is in a network with its replicas alone", () => {
  expect(networks).toEqual({ database: { internal: true } });
  const inIt = Object.entries(services).filter(([, one]) => one.networks?.includes("database"));
  expect(inIt.map(([name]) => name)).toEqual(["aggwatch", "aggwatch-b", "database"]);
  expect(services["database"]?.networks).toEqual(["database"]);
});

it("Prometheus scrapes each replica, under a name to which it answers", () => {
  const { scrape_configs: jobs } = readYaml("deploy/compose/prometheus.yaml") as {
    scrape_configs: Array<{
      job_name: string;
      static_configs: Array<{ targets: string[] }>;
      file_sd_configs?: Array<{ files: string[] }>;
    }>;
  };
  const job = jobs.find(({ job_name: name }) => name === "aggwatch");
  expect(job?.file_sd_configs).toEqual([{ files: ["replicas.yaml"] }]);
  const [mounted = ""] = services["prometheus"]?.volumes ?? [];
  const [source = "", target = ""] = mounted.split(":");
  // Where a directory is in any case: Prometheus complains of one that is not.
  expect(target).toBe("/etc/prometheus/replicas.yaml");
  const more = readYaml(`deploy/${source}`) as Array<{ targets: string[] }>;
  const targets = [...(job?.static_configs ?? []), ...more].flatMap((each) => each.targets);
  expect(targets).toEqual(["aggwatch:9733", "aggwatch-b:9733"]);
  const hosts = services["aggwatch-b"]?.environment["AGGWATCH_SERVER_HOSTS"]?.split(",");
  expect(hosts).toEqual(targets.map((each) => each.split(":")[0]));
  expect(services["aggwatch"]?.environment["AGGWATCH_SERVER_HOSTS"]).toBe(hosts?.join(","));
});
