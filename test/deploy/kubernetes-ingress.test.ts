import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { check } from "./check-command.ts";
import { problemsIn, type Manifest } from "./manifest-check.ts";
import { readYaml } from "./rule-files.ts";

const FOLDER = "deploy/kubernetes/ingress/component";

type Spec = Readonly<Record<string, unknown>>;
const read = (path: string): Manifest & { readonly spec: Spec } =>
  readYaml(path) as Manifest & { readonly spec: Spec };

const ingress = read(`${FOLDER}/ingress.yaml`);
const policy = read(`${FOLDER}/networkpolicy.yaml`);
const service = read("deploy/kubernetes/base/service.yaml");
const base = read("deploy/kubernetes/base/networkpolicy.yaml");
const [rule] = ingress.spec["rules"] as [{ host: string; http: { paths: [{ backend: unknown }] } }];

/** What the patch sets, by name. */
function variables(): Record<string, string> {
  const { spec } = read(`${FOLDER}/deployment.yaml`) as unknown as {
    spec: { template: { spec: { containers: [{ env: { name: string; value: string }[] }] } } };
  };
  const [{ env }] = spec.template.spec.containers;
  return Object.fromEntries(env.map(({ name, value }) => [name, value]));
}

describe("the Ingress", () => {
  it.each([ingress, policy])("is as the schema of its kind says ($kind)", (manifest) => {
    expect(problemsIn(manifest)).toEqual([]);
    expect(manifest.metadata).not.toHaveProperty("namespace");
  });

  it("leads to the Service, by TLS for its own host alone", () => {
    const [port] = service.spec["ports"] as [{ name: string }];
    expect(rule.http.paths).toEqual([
      {
        path: "/",
        pathType: "Prefix",
        backend: { service: { name: service.metadata.name, port: { name: port.name } } },
      },
    ]);
    expect(ingress.spec["tls"]).toMatchObject([{ hosts: [rule.host] }]);
  });

  it("asks people who they are, as reading needs no log-in", () => {
    const { annotations } = ingress.metadata as { annotations?: Record<string, string> };
    expect(annotations?.["nginx.ingress.kubernetes.io/auth-url"]).toMatch(/^https:/);
  });

  it("is let in by a policy of its own, for the pods of the base alone", () => {
    expect(policy.spec["podSelector"]).toEqual(base.spec["podSelector"]);
    expect(policy.metadata.name).not.toBe(base.metadata.name);
    expect(policy.spec).not.toHaveProperty("egress");
  });

  it("is a name under which aggwatch answers, beside those of the Service, and its links lead there", async () => {
    const { AGGWATCH_SERVER_HOSTS: hosts = "", AGGWATCH_SERVER_EXTERNAL_URL: url = "" } =
      variables();
    const { data } = readYaml("deploy/kubernetes/base/config.yaml") as {
      data: Record<string, string>;
    };
    const config = parse(data["aggwatch.yaml"] ?? "") as { server: { hosts: string[] } };
    expect(hosts.split(",")).toEqual([rule.host, ...config.server.hosts]);
    expect(new URL(url).host).toBe(rule.host);
    const env = { ...variables(), AGGWATCH_BASE_URL: "https://aggregator.example/backend" };
    expect((await check([], env)).problems).toEqual([]);
  });
});
