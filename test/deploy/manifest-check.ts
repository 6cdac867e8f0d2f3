import { PrometheusRule } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule";
import { ServiceMonitor } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { Ingress } from "kubernetes-models/networking.k8s.io/v1/Ingress";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { ConfigMap } from "kubernetes-models/v1/ConfigMap";
import { PersistentVolumeClaim } from "kubernetes-models/v1/PersistentVolumeClaim";
import { Service } from "kubernetes-models/v1/Service";

/** Kubernetes manifests against the published schemas of their kinds. */

export type Manifest = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Record<string, string> };
  readonly [key: string]: unknown;
};

type Model = { readonly prototype: { validate: () => void } };

const MODELS: Readonly<Record<string, Model>> = {
  "apps/v1 Deployment": Deployment,
  "monitoring.coreos.com/v1 PrometheusRule": PrometheusRule,
  "monitoring.coreos.com/v1 ServiceMonitor": ServiceMonitor,
  "networking.k8s.io/v1 Ingress": Ingress,
  "networking.k8s.io/v1 NetworkPolicy": NetworkPolicy,
  "v1 ConfigMap": ConfigMap,
  "v1 PersistentVolumeClaim": PersistentVolumeClaim,
  "v1 Service": Service,
};

/**
 * Every problem of a manifest. The schemas let pass a key that they do not know, as a misspelt one; but
 * what is checked by them is looked at, so a key that nobody looked at is one that no schema knows.
 */
export function problemsIn(manifest: Manifest): string[] {
  const model = MODELS[`${manifest.apiVersion} ${manifest.kind}`];
  if (model === undefined) return [`no schema of ${manifest.apiVersion} ${manifest.kind}`];
  const seen = new Set<string>();
  const problems: string[] = [];
  try {
    // Not on an object of the model, as making one reads every key that there is.
    model.prototype.validate.call(watched(manifest, "", seen));
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
  }
  const unknown = keysOf(manifest, "").filter((path) => !seen.has(path));
  return [...problems, ...unknown.map((path) => `${path} is in no schema`)];
}

/** The same value; the paths of what is read of it are noted. */
function watched(value: unknown, path: string, seen: Set<string>): unknown {
  if (typeof value !== "object" || value === null) return value;
  return new Proxy(value, {
    get(target, key) {
      const found: unknown = Reflect.get(target, key);
      if (typeof key !== "string" || !Object.hasOwn(target, key)) return found;
      const below = `${path}/${key}`;
      seen.add(below);
      return watched(found, below, seen);
    },
  });
}

function keysOf(value: unknown, path: string): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, below]) => [
    `${path}/${key}`,
    ...keysOf(below, `${path}/${key}`),
  ]);
}
