import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { variableNames } from "../../src/config/settings/environment.ts";
import { readRuleTestFiles } from "../../src/io/process/files.ts";
import { check } from "./check-command.ts";
import { environmentOf, instructionOf } from "./dockerfile.ts";
import { problemsIn } from "./manifest-check.ts";
import type { Manifest } from "./manifest-check.ts";
import { read, readYaml, root, yamlFilesIn } from "./rule-files.ts";

const BASE = "deploy/kubernetes/base";
const INGRESS = "deploy/kubernetes/ingress/component";
const OPERATOR = "deploy/kubernetes/prometheus-operator/component";
const KUSTOMIZATION = "kustomization.yaml";

type Kustomization = {
  readonly resources: readonly string[];
  readonly patches?: ReadonlyArray<{ readonly path: string }>;
};

const manifestsIn = (folder: string): Manifest[] =>
  yamlFilesIn(folder)
    .filter((path) => !path.endsWith(KUSTOMIZATION))
    .map((path) => readYaml(path) as Manifest);
const manifests = [...manifestsIn(BASE), ...manifestsIn(OPERATOR)];
const named = manifests.map(
  (manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const,
);

type Container = {
  readonly image: string;
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly [key: string]: unknown;
};
type Pod = {
  readonly containers: readonly [Container];
  readonly volumes: readonly Readonly<Record<string, unknown>>[];
  readonly [key: string]: unknown;
};

const one = (kind: string, name = "aggwatch"): Manifest => {
  const found = manifests.find((each) => each.kind === kind && each.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
};
const deployment = one("Deployment")["spec"] as {
  replicas: number;
  strategy: unknown;
  selector: { matchLabels: Record<string, string> };
  template: { metadata: { labels: Record<string, string> }; spec: Pod };
};
const pod = deployment.template.spec;
const [container] = pod.containers;
const variables = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
const mountOf = (name: string): string =>
  container.volumeMounts.find((mount) => mount.name === name)?.mountPath ?? "";

const readTests = readRuleTestFiles(join(root, "rules"));
const shippedTests = readTests.ok ? readTests.value : [];
const dataOf = (name: string): Array<[string, string]> =>
  Object.entries(one("ConfigMap", name)["data"] as Record<string, string>);

describe.each(named)("the manifest of %s", (_, manifest) => {
  it("is as the schema of its kind says", () => {
    expect(problemsIn(manifest)).toEqual([]);
  });

  it("leaves the namespace to kustomize, and is labelled", () => {
    expect(manifest.metadata).not.toHaveProperty("namespace");
    expect(manifest.metadata.labels).toMatchObject({ "app.kubernetes.io/name": "aggwatch" });
  });

  it("holds no secret", () => {
    expect(manifest.kind).not.toBe("Secret");
  });
});

describe("the check of manifests", () => {
  const service = { apiVersion: "v1", kind: "Service", metadata: { name: "a" } };

  it.each([
    ["a misspelt key", { spec: { port: [] } }, "/spec/port is in no schema"],
    ["a wrong type", { spec: { ports: "http" } }, "ports"],
    ["a key on top", { status2: {} }, "/status2 is in no schema"],
    [
      "a misspelt key in a list",
      { spec: { ports: [{ port: 1, name2: "a" }] } },
      "/spec/ports/0/name2",
    ],
  ])("finds %s", (_, change, problem) => {
    expect(problemsIn({ ...service, ...change }).join("\n")).toContain(problem);
  });
});

describe("the kustomizations", () => {
  it.each([
    [BASE, []],
    [OPERATOR, []],
    [INGRESS, []],
  ])("of %s name every file beside them", (folder, more) => {
    const { resources, patches = [] } = readYaml(`${folder}/${KUSTOMIZATION}`) as Kustomization;
    const files = yamlFilesIn(folder).map((path) => path.slice(folder.length + 1));
    expect([...resources, ...patches.map(({ path }) => path)].toSorted()).toEqual(
      [...more, ...files.filter((file) => file !== KUSTOMIZATION)].toSorted(),
    );
  });
});

describe("what the Prometheus Operator reads, and the Ingress", () => {
  it.each([OPERATOR, INGRESS])("of %s go with the base, and as well with replicas", (folder) => {
    // An overlay cannot have two that bring the base with them, so each is also to be had without it.
    const component = readYaml(`${folder}/${KUSTOMIZATION}`);
    expect(component).toMatchObject({ kind: "Component" });
    expect(readYaml(`${folder}/../${KUSTOMIZATION}`)).toMatchObject({
      kind: "Kustomization",
      resources: ["../base"],
      components: [basename(folder)],
    });
    expect(read("docs/deploy.md")).toContain(`…/${folder}`);
  });
});

describe("the Deployment", () => {
  it("never runs two at once, as the journal belongs to one", () => {
    expect(deployment).toMatchObject({ replicas: 1, strategy: { type: "Recreate" } });
    expect(deployment.template.metadata.labels).toMatchObject(deployment.selector.matchLabels);
  });

  it("takes away what the watchdog does not need", () => {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    });
    expect(container["securityContext"]).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
  });

  it("runs as the user of the image, whom the base image gives the id 1000", () => {
    expect(instructionOf("USER")).toBe("node");
    expect(pod["securityContext"]).toMatchObject({
      runAsUser: 1000,
      runAsGroup: 1000,
      fsGroup: 1000,
    });
  });

  it("gets no variables but its own", () => {
    // Those that Kubernetes makes for a Service named aggwatch begin with AGGWATCH_ too.
    expect(pod["enableServiceLinks"]).toBe(false);
    const known = new Set(variableNames());
    expect(Object.keys(variables).filter((name) => !known.has(name))).toEqual([]);
  });

  it("runs this version, on the port and with the directories of the image", () => {
    const { version } = JSON.parse(read("package.json")) as { version: string };
    expect(container.image).toBe(`aggwatch:${version}`);
    const { AGGWATCH_LISTEN: listen = "", AGGWATCH_DATA: data } = environmentOf();
    expect(container.ports).toEqual([
      { name: "http", containerPort: Number(listen.split(":")[1]) },
    ]);
    expect(mountOf("data")).toBe(data);
    expect(instructionOf("VOLUME")).toBe(data);
  });

  it("asks /healthz whether to restart it, and /readyz whether it is ready", () => {
    const asks = (path: string) => ({ httpGet: { path, port: "http" } });
    expect(container).toMatchObject({
      startupProbe: asks("/healthz"),
      livenessProbe: asks("/healthz"),
      readinessProbe: asks("/readyz"),
    });
    expect(pod["terminationGracePeriodSeconds"]).toBeGreaterThan(5);
  });

  it("mounts only what there is", () => {
    const mounted = container.volumeMounts.map(({ name }) => name);
    expect(new Set(mounted)).toEqual(new Set(pod.volumes.map(({ name }) => name)));
    for (const { configMap, persistentVolumeClaim: claim } of pod.volumes as Record<
      string,
      Record<string, string>
    >[]) {
      if (configMap?.["name"] !== undefined) one("ConfigMap", configMap["name"]);
      if (claim?.["claimName"] !== undefined) one("PersistentVolumeClaim", claim["claimName"]);
    }
  });
});

describe("the Service and who asks it", () => {
  it("lead to the pod's port by its name", () => {
    const service = one("Service")["spec"] as { selector: unknown; ports: unknown };
    expect(service.selector).toEqual(deployment.selector.matchLabels);
    expect(service.ports).toEqual([{ name: "http", port: 9733, targetPort: "http" }]);
    expect(one("ServiceMonitor")["spec"]).toMatchObject({
      jobLabel: "app.kubernetes.io/name",
      selector: { matchLabels: one("Service").metadata.labels },
      endpoints: [{ port: "http", path: "/metrics" }],
    });
    expect(one("NetworkPolicy")["spec"]).toMatchObject({
      podSelector: deployment.selector,
      policyTypes: ["Ingress", "Egress"],
    });
  });
});

describe("the ConfigMaps", () => {
  it("hold a config and rules that `aggwatch check` has nothing against", async () => {
    const folder = mkdtempSync(join(tmpdir(), "aggwatch-kubernetes-"));
    const rules = join(folder, "rules");
    mkdirSync(rules);
    for (const [name, text] of dataOf("aggwatch-config")) writeFileSync(join(folder, name), text);
    for (const [name, text] of dataOf("aggwatch-rules"))
      // The runbooks stay where they are.
      writeFileSync(join(rules, name), text.replaceAll("docs/runbooks", `${root}/docs/runbooks`));
    for (const { name, text } of shippedTests) writeFileSync(join(rules, basename(name)), text);
    const said = await check(["--config", join(folder, "aggwatch.yaml"), "--rules", rules]);
    rmSync(folder, { recursive: true });
    expect(said.problems).toEqual([]);
  });

  it("know the Service by every name that a cluster gives it", () => {
    const { namespace } = readYaml(`${BASE}/${KUSTOMIZATION}`) as { namespace: string };
    const { name } = one("Service").metadata;
    const config = new Map(dataOf("aggwatch-config")).get("aggwatch.yaml") ?? "";
    const full = `${name}.${namespace}.svc.cluster.local`.split(".");
    expect((parse(config) as { server: { hosts: string[] } }).server.hosts).toEqual(
      [1, 2, 3, 5].map((parts) => full.slice(0, parts).join(".")),
    );
  });

  it("are mounted where the variables say", () => {
    expect(variables["AGGWATCH_RULES"]).toBe(mountOf("rules"));
    expect(variables["AGGWATCH_CONFIG"]).toBe(`${mountOf("config")}/aggwatch.yaml`);
    expect(dataOf("aggwatch-config").map(([name]) => name)).toEqual(["aggwatch.yaml"]);
  });
});
