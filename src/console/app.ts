import { useEffect } from "preact/hooks";
import { html, type Markup } from "./element.ts";
import { hashOf } from "./address.ts";
import { lost, overview, view } from "./data/store.ts";
import { OperationDialog } from "./operate/dialog.ts";
import { OperateMenu } from "./operate/menu.ts";
import { Clock, ClockButton } from "./parts/small.ts";
import { Search } from "./parts/search.ts";
import { showState } from "./parts/tab.ts";
import { AlertView } from "./views/alert.ts";
import { AlertsView } from "./views/alerts.ts";
import { EntitiesView } from "./views/entities.ts";
import { EntityView } from "./views/entity.ts";
import { OverviewView } from "./views/overview.ts";
import { RulesView } from "./views/rules.ts";
import { TimelineView } from "./views/timeline.ts";
import { TryRuleView } from "./views/try-rule.ts";

/** The frame around every view. */
export function App(): Markup {
  useEffect(
    () => showState(overview.value, lost.value !== undefined),
    [overview.value, lost.value],
  );
  const isLost = lost.value !== undefined;
  return html`<${TopBar} />
    ${lost.value !== undefined && html`<${LostBanner} ...${lost.value} />`}
    <main class=${isLost ? "faded" : ""}><${CurrentView} /></main>
    <${OperationDialog} />`;
}

const VIEWS = {
  overview: OverviewView,
  alerts: AlertsView,
  alert: AlertView,
  entities: EntitiesView,
  entity: EntityView,
  timeline: TimelineView,
  rules: RulesView,
  try: TryRuleView,
};

function CurrentView(): Markup {
  const [name = "overview"] = view.value.path;
  const found = Object.entries(VIEWS).find(([one]) => one === name)?.[1];
  if (found !== undefined) return html`<${found} />`;
  return html`<p>There is no view "${name}". <a href=${hashOf([])}>Overview</a></p>`;
}

const LINKS: ReadonlyArray<readonly [string, readonly string[]]> = [
  ["Overview", []],
  ["Alerts", ["alerts"]],
  ["Entities", ["entities"]],
  ["Timeline", ["timeline"]],
  ["Rules", ["rules"]],
];

function TopBar(): Markup {
  const status = overview.value;
  const [current = ""] = view.value.path;
  const mode = (status?.killed.length ?? 0) > 0 ? "stopped" : (status?.mode ?? "");
  return html`<header class="top">
    <h1><a href=${hashOf([])}>aggwatch</a></h1>
    <nav aria-label="Views">
      ${LINKS.map(
        ([label, path]) =>
          html`<a
            href=${hashOf(path)}
            aria-current=${(path[0] ?? "") === current ? "page" : undefined}
            >${label}</a
          >`,
      )}
    </nav>
    <${Search} />
    <span class="state">
      ${status !== undefined && html`<span class=${`badge ${mode}`}>actions: ${mode}</span>`}
      <${OperateMenu} />
      <${ClockButton} />
    </span>
  </header>`;
}

function LostBanner({ since, why }: { readonly since: number; readonly why: string }): Markup {
  return html`<div class="banner" role="alert">
    What is below is old: aggwatch does not answer since <${Clock} at=${since} /> (${why}).
  </div>`;
}
