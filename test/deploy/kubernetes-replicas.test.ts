import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { variableNames } from "../../src/config/settings/environment.ts";
import type { Manifest } from "./manifest-check.ts";
import { readYaml } from "./rule-files.ts";

const FOLDER = "deploy/kubernetes/replicas";
const readManifest = (path: string): Manifest => readYaml(path) as Manifest;

type Deployment = {
  readonly spec: {
    readonly replicas: number;
    readonly strategy: { readonly type: string; readonly rollingUpdate: object };
    readonly template: {
      readonly spec: {
        readonly topologySpreadConstraints: readonly object[];
        readonly containers: readonly [
          { readonly name: string; readonly env: ReadonlyArray<{ name: string; value?: string }> },
        ];
      };
    };
  };
};
type Base = {
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly template: {
      readonly spec: {
        readonly containers: readonly [
          {
            readonly name: string;
            readonly volumeMounts: ReadonlyArray<{
              readonly name: string;
              readonly mountPath: string;
            }>;
          },
        ];
        readonly volumes: ReadonlyArray<{ readonly name: string }>;
      };
    };
  };
};
type Kustomization = {
  readonly resources: readonly string[];
  readonly patches: ReadonlyArray<{ readonly path?: string; readonly patch?: string }>;
};

const base = readYaml("deploy/kubernetes/base/deployment.yaml") as Base;
const { spec } = readYaml(`${FOLDER}/deployment.yaml`) as Deployment;
const { matchLabels } = base.spec.selector;

describe("two replicas in Kubernetes", () => {
  it("are rolled out one after the other, on hosts of their own, and never both drained", () => {
    expect(spec.replicas).toBe(2);
    expect(spec.strategy).toEqual({
      type: "RollingUpdate",
      rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
    });
    expect(spec.template.spec.topologySpreadConstraints).toMatchObject([
      { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels } },
    ]);
    const budget = readManifest(`${FOLDER}/poddisruptionbudget.yaml`);
    // Without the database none is ready: a budget that counts on one would stop every drain.
    expect(budget["spec"]).toEqual({
      minAvailable: 1,
      unhealthyPodEvictionPolicy: "AlwaysAllow",
      selector: { matchLabels },
    });
  });

  it("find the authority of the database where the URL of the example says that it is", () => {
    const text = readFileSync(`${FOLDER}/kustomization.yaml`, "utf8");
    const url = /postgres:\/\/\S+/.exec(text)?.[0] ?? "";
    const file = new URL(url).searchParams.get("sslrootcert") ?? "";
    const { volumes, containers } = base.spec.template.spec;
    const [{ volumeMounts }] = containers;
    const mount = volumeMounts.find(({ mountPath }) => file.startsWith(`${mountPath}/`));
    const secret = volumes.find(({ name }) => name === mount?.name);
    // All keys of the Secret are files, so that one more needs no volume of its own.
    expect(secret).toMatchObject({ secret: { secretName: "aggwatch" } });
    expect(secret).not.toHaveProperty("secret.items");
    const key = file.slice((mount?.mountPath.length ?? 0) + 1);
    expect(text).toMatch(
      new RegExp(`create secret generic aggwatch .*--from-file=${key.replaceAll(".", "\\.")} `),
    );
  });

  it("are told of the database by variables that aggwatch knows, and reach it", () => {
    const [container] = spec.template.spec.containers;
    expect(container.name).toBe(base.spec.template.spec.containers[0].name);
    for (const { name } of container.env) expect(variableNames()).toContain(name);
    const policy = readManifest(`${FOLDER}/networkpolicy.yaml`);
    expect(JSON.stringify(policy["spec"])).toContain('"port":5432');
  });

  it("keep nothing on a volume: the patches fit the single writer", () => {
    const { resources, patches } = readYaml(`${FOLDER}/kustomization.yaml`) as Kustomization;
    expect(resources).toContain("../base");
    const texts = patches.flatMap(({ patch }) => (patch === undefined ? [] : [parse(patch)]));
    const [replaced, deleted] = texts as [ReadonlyArray<{ path: string; value: object }>, Manifest];
    expect(replaced).toMatchObject([
      { path: "/spec/template/spec/volumes/0", value: { name: "data" } },
    ]);
    expect(base.spec.template.spec.volumes[0]?.name).toBe("data");
    const claim = readManifest("deploy/kubernetes/base/pvc.yaml");
    expect(deleted).toMatchObject({ kind: claim.kind, metadata: { name: claim.metadata.name } });
  });
});
