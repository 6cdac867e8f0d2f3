import { existsSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { readRuleFiles } from "../../src/io/process/files.ts";
import { groups, read, root } from "./rule-files.ts";

/** Manifests that are made from other files; with UPDATE_DOCS=1 they are written again. */

const metadata = (name: string) => ({ name, labels: { "app.kubernetes.io/name": "aggwatch" } });

function rulesMap(): object {
  const files = readRuleFiles(join(root, "rules"));
  const texts = files.ok ? files.value : [];
  const data = Object.fromEntries(texts.map(({ name, text }) => [basename(name), text]));
  return { apiVersion: "v1", kind: "ConfigMap", metadata: metadata("aggwatch-rules"), data };
}

function prometheusRule(): object {
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: metadata("aggwatch"),
    spec: { groups },
  };
}

describe.each([
  ["deploy/kubernetes/base/rules.yaml", "rules", rulesMap],
  [
    "deploy/kubernetes/prometheus-operator/component/prometheusrule.yaml",
    "deploy/prometheus/rules",
    prometheusRule,
  ],
])("%s", (path, source, make) => {
  it(`says what ${source} says`, () => {
    const note = `# Made from ${source} by \`UPDATE_DOCS=1 npx vitest run test/deploy\`: edit it there.\n`;
    const text = note + stringify(make(), { lineWidth: 0 });
    if (process.env["UPDATE_DOCS"] === "1") writeFileSync(join(root, path), text);
    expect(existsSync(join(root, path))).toBe(true);
    expect(read(path), "run UPDATE_DOCS=1 npx vitest run test/deploy").toBe(text);
  });
});
