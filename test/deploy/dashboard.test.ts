import { describe, expect, it } from "vitest";
import { metricDescriptions } from "../../tools/describe-metrics.ts";
import { dashboard, dashboardText, expressions, shown } from "./dashboard-file.ts";
import { SCRAPE_LABELS, knownMetrics } from "./known-metrics.ts";
import { groupedBy, metricsIn, selectorsIn } from "./promql.ts";
import { alerts, recordings } from "./rule-files.ts";

/** The rules of Grafana's dashboard-linter that fit one dashboard of one program. */

const SOURCE = { type: "prometheus", uid: "${datasource}" };
const variable = (name: string) => dashboard.templating.list.find((one) => one.name === name);

/** Units of Grafana's list that the dashboard uses. */
const UNITS = ["short", "s", "ops", "bytes", "percentunit", "bool", "bool_yes_no"];

describe("the dashboard", () => {
  it("is the same wherever it is installed: no ids of a Grafana, and not to be edited there", () => {
    expect(dashboard.id).toBeUndefined();
    expect(dashboard.editable).toBe(false);
    expect(dashboard.tags).toEqual(["aggwatch"]);
    const sources = [...dashboardText.matchAll(/"uid": "([^"]*)"/g)].map((match) => match[1]);
    // The first is the dashboard's own name, so that links to it stay.
    expect(sources[0]).toBe("aggwatch");
    expect(new Set(sources.slice(1))).toEqual(new Set(["${datasource}"]));
  });

  it("lets choose the data source", () => {
    expect(variable("datasource")).toMatchObject({ type: "datasource", query: "prometheus" });
    expect(dashboard.templating.list[0]?.name).toBe("datasource");
  });

  it.each(["job", "instance", "aggregator"])(
    "lets choose by %s, and looks for new ones",
    (name) => {
      expect(variable(name)).toMatchObject({
        type: "query",
        datasource: SOURCE,
        multi: true,
        allValue: ".+",
        // 2: whenever the time range changes.
        refresh: 2,
      });
      expect(variable(name)?.label).not.toBe("");
      const asked = variable(name)?.query;
      const query = typeof asked === "object" ? asked.query : "";
      const [, metric = "", label = ""] =
        /^label_values\((\w+)(?:\{.*\})?, (\w+)\)$/.exec(query) ?? [];
      expect(label).toBe(name);
      expect([...(knownMetrics.get(metric) ?? []), ...SCRAPE_LABELS]).toContain(name);
    },
  );

  it("leads from the alerts of a rule to its runbook, on the page of this aggwatch", () => {
    const byRule = dashboard.panels.filter(({ targets = [] }) =>
      targets.some(({ expr }) => expr.startsWith("sum by (alertname) (aggwatch_alerts{")),
    );
    expect(byRule).toHaveLength(2);
    for (const { fieldConfig } of byRule)
      expect(fieldConfig?.defaults.links).toMatchObject([
        { title: "Runbook", url: "${page_url}/runbooks/${__field.labels.alertname}" },
      ]);
    expect(variable("page_url")).toMatchObject({ type: "textbox" });
  });

  it("marks each start at its own instant, also after a long absence and in a pod of another address", () => {
    const starts = dashboard.annotations.list.find(({ name }) => name === "Starts");
    // Of a series that is new, or was away for longer than a window, `changes` sees none.
    expect(starts?.expr).toMatch(/^aggwatch_started_timestamp_seconds\{[^}]*\} \* 1000$/);
    expect(starts?.useValueForTime).toBe(true);
  });

  it("has its rows in the order in which one looks", () => {
    const rows = dashboard.panels.filter(({ type }) => type === "row").map(({ title }) => title);
    expect(rows).toEqual([
      "Overview",
      "Surfaces and polls",
      "Alerts",
      "Acting",
      "Journal, outbox and heartbeat",
      "Process",
      "Replicas",
    ]);
  });

  it("has panels with ids and titles of their own, which do not overlap", () => {
    const titles = shown.map(({ title }) => title);
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const cells = dashboard.panels.flatMap(({ title, gridPos: { x, y, w, h } }) => {
      expect(x + w, title).toBeLessThanOrEqual(24);
      return Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`);
    });
    expect(new Set(cells).size).toBe(cells.length);
  });

  it("shows every metric that an alert can rest on, or leaves it out on purpose", () => {
    const read = new Set(expressions.flatMap(([, expr]) => metricsIn(expr)));
    const own = [...knownMetrics.keys()].filter((name) => name.startsWith("aggwatch_"));
    const unseen = own.filter((name) => !read.has(name) && !/_(?:sum|count)$/.test(name));
    expect(unseen.sort(), "show it in the dashboard, or name it in LEFT_OUT").toEqual(LEFT_OUT);
  });
});

/** Told by another panel, or of use in an alert or a query by hand only. */
const LEFT_OUT = [
  "aggwatch_build_info",
  "aggwatch_config_hash",
  "aggwatch_config_last_reload_success_timestamp_seconds",
  "aggwatch_entities_left_out_total",
  "aggwatch_exchange_missing",
  "aggwatch_hold_next_expiry_timestamp_seconds",
  "aggwatch_lease_epoch",
  "aggwatch_market_price",
  "aggwatch_market_volume",
  "aggwatch_poller_stale",
  "aggwatch_probes_total",
  "aggwatch_readings_doubted_total",
  "aggwatch_record_gaps_total",
  "aggwatch_rule_undecided_entities",
  "aggwatch_trace_spans_total",
];

/** Metrics of an instant that are 0 if there was none yet. */
const NONE_YET = metricDescriptions
  .filter(({ help }) => /\b0 (?:before the first|if one was never)\b/.test(help))
  .map(({ name }) => name);

describe("an age, in the dashboard and in the rules", () => {
  it("is empty if there was nothing yet, rather than the years since 1970", () => {
    expect(NONE_YET.length).toBeGreaterThanOrEqual(3);
    const all = [
      ...expressions.map(([, expr]) => expr),
      ...[...alerts, ...recordings].map(({ expr }) => expr),
    ];
    const ages = all.filter((expr) => /\btime\(\) -/.test(expr));
    for (const name of NONE_YET) {
      const own = ages.filter((expr) => metricsIn(expr).includes(name));
      expect(own.length, name).toBeGreaterThan(0);
      for (const expr of own) expect(expr).toMatch(new RegExp(`\\b${name}(?:\\{[^}]*\\})? > 0\\b`));
    }
  });
});

describe.each(shown.map((panel) => [panel.title, panel] as const))("the panel %s", (_, panel) => {
  const targets = panel.targets ?? [];

  it("says what it shows, and in which unit", () => {
    expect(panel.title).not.toBe("");
    expect(panel.description ?? "").toMatch(/^[A-Za-z].*\.$/);
    expect(UNITS).toContain(panel.fieldConfig?.defaults.unit);
  });

  it("asks the data source that was chosen", () => {
    expect(panel.datasource).toEqual(SOURCE);
    expect(targets.length).toBeGreaterThan(0);
    for (const target of targets) expect(target.datasource).toEqual(SOURCE);
    expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
  });
});

describe.each(expressions)("the expression of %s", (_, expression) => {
  it("reads metrics that there are, by labels that those have", () => {
    for (const metric of metricsIn(expression)) expect([...knownMetrics.keys()]).toContain(metric);
    for (const { metric, labels } of selectorsIn(expression))
      for (const label of labels)
        expect([...(knownMetrics.get(metric) ?? []), ...SCRAPE_LABELS], metric).toContain(label);
    const there = metricsIn(expression).flatMap((metric) => knownMetrics.get(metric) ?? []);
    for (const label of groupedBy(expression))
      expect([...there, ...SCRAPE_LABELS]).toContain(label);
  });

  it("keeps to what was chosen", () => {
    const selectors = selectorsIn(expression);
    expect(selectors.map(({ metric }) => metric).sort()).toEqual(
      selectors.length === 1
        ? metricsIn(expression)
        : expect.arrayContaining(metricsIn(expression)),
    );
    for (const { metric, labels } of selectors) {
      const chosen = knownMetrics.get(metric)?.includes("aggregator")
        ? [...SCRAPE_LABELS, "aggregator"]
        : SCRAPE_LABELS;
      expect(labels, metric).toEqual(expect.arrayContaining(chosen));
    }
  });

  it("takes rates over what the scrape interval allows, and of counters only rates", () => {
    // What stands in quotes may hold brackets too.
    const unquoted = expression.replaceAll(/"[^"]*"/g, '""');
    const ranges = [...unquoted.matchAll(/\b(\w+)\([^[()]*\[([^\]]*)\]/g)];
    for (const [, name = "", range = ""] of ranges)
      expect(name === "max_over_time" ? "1h" : "$__rate_interval", name).toBe(range);
    for (const [counter] of expression.matchAll(/\w+\(?\s*\w+_(?:total|bucket)\b/g))
      expect(counter).toMatch(/^(?:rate|increase)\(/);
  });
});
