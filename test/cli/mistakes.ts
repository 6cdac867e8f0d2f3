/** A sound config with its rules and files, and mistakes that one can make in it, each independent of the others. */

type Tree = { [key: string]: Tree } & Tree[];

export type World = {
  readonly config: Tree;
  readonly rules: Tree;
  /** By path from the config. */
  readonly files: Record<string, string>;
};

export type Mistake = {
  readonly make: (world: World) => void;
  /** The id of its problem, and its path. */
  readonly tells: string;
};

export function soundWorld(): World {
  const aggregator = (name: string) => ({
    name,
    base_url: `https://${name}.example/backend`,
    auth: { read: { type: "none" }, act: { type: "bearer", value_env: "SECRET" } },
    rate: { concurrency: 16 },
    watch: { senders: ["a", "b", "c"], pools: ["P/A-B"], files: ["watch.yaml"] },
    swap_statuses: { settled: ["DONE"] },
    wire: {},
  });
  const config = {
    rules: "rules",
    journal: { postgres: { url_env: "DATABASE" }, shards: 4 },
    aggregators: ["one", "two", "three", "four"].map(aggregator),
    maintenance: [
      { name: "m", schedule: "0 2 * * *", duration: "1h", reason: "r", scope: { rule: "A" } },
      { name: "n", schedule: "0 4 * * *", duration: "1h", reason: "r" },
    ],
    notify: {
      heartbeat: { url_env: "PING" },
      alertmanagers: [
        { url: "https://a.example", name: "a" },
        { url: "https://b.example", name: "b" },
      ],
      slack: [{ url_env: "PING", name: "c" }],
      email: ["f", "g", "h"].map((name) => ({
        name,
        url: "smtp://smtp.example",
        from: "a@a.example",
        to: ["b@b.example"],
      })),
    },
  };
  const rule = (alert: string) => ({
    alert,
    each: "exchange",
    when: 'exchange.status == "disabled"',
    act: { action: "enable_exchange", budget: { max: 1, per: "1h" } },
  });
  const rules = { groups: [{ name: "g", rules: ["A", "B", "C"].map(rule) }] };
  return {
    config: structuredClone(config) as unknown as Tree,
    rules: structuredClone(rules) as unknown as Tree,
    files: { "watch.yaml": "[]", "more.yaml": "[]" },
  };
}

/** Puts a value at a path, and makes what is missing on the way. */
export function put(tree: Tree, path: string, value: unknown): void {
  const steps = path.split(/[.[\]]+/).filter((step) => step !== "");
  const last = steps.pop() ?? "";
  let at: Record<string, unknown> = tree;
  for (const step of steps) at = (at[step] ??= {}) as Record<string, unknown>;
  if (value === undefined) delete at[last];
  else at[last] = value;
}

const inConfig = (path: string, value: unknown, id: string, told = path): Mistake => ({
  make: ({ config }) => put(config, path, value),
  tells: `${id} ${told}`,
});

const inRules = (path: string, value: unknown, id: string, told = path): Mistake => ({
  make: ({ rules }) => put(rules, path, value),
  tells: `${id} ${told}`.trimEnd(),
});

const RULE = (index: number) => `groups[0].rules[${index}]`;

export const MISTAKES: readonly Mistake[] = [
  // Of shape.
  inConfig("lisen", "x", "config/unknown-key"),
  inConfig("listen", "nowhere", "config/bad-value"),
  inConfig("aggregators[0].base_url", "nowhere", "config/bad-value"),
  inConfig("aggregators[0].watch.senders[1]", 5, "config/bad-value"),
  inConfig("aggregators[1].rate.requests_per_second", "fast", "config/bad-value"),
  inConfig("aggregators[2]", 5, "config/bad-value"),
  inConfig("aggregators[1].watch.pools[0]", "P", "config/bad-value"),
  inConfig("notify.resend_interval", "soon", "config/bad-value"),
  inConfig("notify.alertmanagers[0].url", "nowhere", "config/bad-value"),
  inConfig("notify.alertmanagers[1].url", undefined, "config/missing"),
  inConfig("notify.alertmanagers[2]", 5, "config/bad-value"),
  inConfig("maintenance[1].schedule", "at night", "config/bad-value"),
  inConfig("notify.email[0].url", "smtp.example", "config/bad-value"),
  inConfig("notify.email[1].to", undefined, "config/missing"),
  inConfig("actions.max_age", "old", "config/bad-value"),
  inConfig("server.hosts", ["a b"], "config/bad-value", "server.hosts[0]"),
  inConfig("aggregators[3].auth.act.type", "berer", "config/bad-value"),
  inConfig(
    "aggregators[3].schedules",
    { pools: "x" },
    "config/bad-value",
    "aggregators[3].schedules.pools",
  ),
  inConfig("aggregators[3].timeout", "10 minutes", "config/bad-value"),
  {
    make: ({ config }) => {
      put(config, "aggregators[3].base_url", undefined);
      put(config, "aggregators[3].base_ulr", "https://four.example");
    },
    tells: "config/unknown-key aggregators[3].base_ulr",
  },
  // Of resolving.
  inConfig("aggregators[0].auth.act.value_env", "NOPE", "config/secret"),
  inConfig("aggregators[1].auth.read.value_env", "SECRET", "config/unused-key"),
  inConfig("aggregators[0].stale_after", "1s", "config/contradiction"),
  inConfig("aggregators[0].watch.senders[2]", "a", "config/duplicate"),
  inConfig("aggregators[1].watch.senders[1]", "a/b c", "config/bad-value"),
  inConfig(
    "aggregators[1].swap_statuses.expired",
    ["DONE"],
    "config/contradiction",
    "aggregators[1].swap_statuses.expired[0]",
  ),
  inConfig("aggregators[0].tls.ca_file", "nope.pem", "config/bad-certificate"),
  inConfig("journal.postgres.lease", "1s", "config/bad-value"),
  inConfig(
    "notify.alertmanagers[0].auth",
    { type: "bearer", value_env: "NOPE" },
    "config/secret",
    "notify.alertmanagers[0].auth.value_env",
  ),
  inConfig(
    "notify.alertmanagers[1].tls",
    { ca_file: "nope.pem" },
    "config/bad-certificate",
    "notify.alertmanagers[1].tls.ca_file",
  ),
  inConfig("notify.slack[0].name", "b", "config/duplicate"),
  inConfig("notify.email[2].name", "f", "config/duplicate"),
  inConfig("notify.heartbeat.url_env", "NOPE", "config/secret"),
  inConfig(
    "notify.heartbeat.tls",
    { ca_file: "nope.pem" },
    "config/bad-certificate",
    "notify.heartbeat.tls.ca_file",
  ),
  inConfig("server.tokens_file", "nope.yaml", "config/secret"),
  // Of the further checks.
  inConfig("aggregators[0].rate.concurrency", 2, "config/bad-value"),
  inConfig(
    "aggregators[1].wire.disabled",
    { path: "/api/{nope}" },
    "config/bad-value",
    "aggregators[1].wire.disabled.path",
  ),
  inConfig("maintenance[0].scope.kind", "exchanges", "config/bad-value"),
  inConfig(
    "aggregators[3].watch.http",
    [
      { url: "https://a.example", auth: { type: "bearer", value_env: "SECRET" } },
      { url: "https://b.example", auth: { type: "header", name: "Host", value_env: "SECRET" } },
    ],
    "config/bad-value",
    "aggregators[3].watch.http[1].auth",
  ),
  inConfig(
    "notify.webhooks",
    [
      { name: "d", url_env: "PING" },
      {
        name: "e",
        url_env: "PING",
        auth: { type: "basic", username: "a:b", password_env: "SECRET" },
      },
    ],
    "config/bad-value",
    "notify.webhooks[1].auth",
  ),
  // Of the files of the watch lists.
  {
    make: ({ config, files }) => {
      put(config, "aggregators[1].watch.files", ["more.yaml"]);
      files["more.yaml"] = "[{ targets: [a], labels: { kind: nope } }]";
    },
    tells: "watch/bad-list [0].labels.kind",
  },
  // Of rules.
  inRules(`${RULE(0)}.alert`, undefined, "rule/missing"),
  inRules(`${RULE(0)}.when`, "exchange.nope == 1", "rule/unknown-fact", ""),
  inRules(`${RULE(1)}.for`, "long", "rule/bad-value"),
  inRules(`${RULE(1)}.act.attempts`, "many", "rule/bad-value"),
  inRules(`${RULE(1)}.labels`, { alertname: "x" }, "rule/bad-label", `${RULE(1)}.labels.alertname`),
  inRules(`${RULE(2)}.act.budget`, undefined, "rule/no-budget", `${RULE(2)}.act`),
  inRules(`${RULE(2)}.inhibited_by`, [5, "B"], "rule/bad-value", `${RULE(2)}.inhibited_by[0]`),
];
