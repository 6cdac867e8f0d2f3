import { read } from "./rule-files.ts";

/** The dashboard for Grafana, as far as the tests look at it. */

type DataSource = { readonly type: string; readonly uid: string };

export type Target = {
  readonly refId: string;
  readonly expr: string;
  readonly legendFormat: string;
  readonly datasource: DataSource;
};

export type Panel = {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: DataSource;
  readonly gridPos: Readonly<Record<"x" | "y" | "w" | "h", number>>;
  readonly targets?: readonly Target[];
  readonly fieldConfig?: {
    readonly defaults: {
      readonly unit?: string;
      readonly links?: ReadonlyArray<{ readonly title: string; readonly url: string }>;
    };
  };
};

export type Variable = {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  readonly query: string | { readonly query: string };
  readonly refresh: number;
  readonly datasource?: DataSource;
  readonly multi: boolean;
  readonly allValue?: string;
};

type Annotation = {
  readonly name: string;
  readonly expr: string;
  readonly datasource: DataSource;
  /** The values are the instants, in milliseconds. */
  readonly useValueForTime?: boolean;
};

export type Dashboard = {
  readonly editable: boolean;
  readonly id?: number;
  readonly tags: readonly string[];
  readonly annotations: {
    readonly list: readonly Annotation[];
  };
  readonly templating: { readonly list: readonly Variable[] };
  readonly panels: readonly Panel[];
};

export const dashboardText = read("deploy/grafana/aggwatch.json");
export const dashboard = JSON.parse(dashboardText) as Dashboard;

/** Panels that show something; rows only group them. */
export const shown = dashboard.panels.filter(({ type }) => type !== "row");

/** Every expression in PromQL, with the title of its panel. */
export const expressions: readonly (readonly [title: string, expression: string])[] = [
  ...shown.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
  ...dashboard.annotations.list.map(({ expr }) => ["the annotations", expr] as const),
];

/** An expression as Grafana would send it. */
export function filledIn(expression: string): string {
  return expression
    .replaceAll("$__rate_interval", "1m")
    .replaceAll(/\$(job|instance|aggregator)\b/g, ".+");
}
