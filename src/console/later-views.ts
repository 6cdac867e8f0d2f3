import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { html, type Markup } from "./element.ts";

type View = () => Markup | undefined;

/** All views but the first: their code is loaded after the first is shown, or when one of them is asked for. */
const VIEWS: Readonly<Record<string, () => Promise<View>>> = {
  alerts: async () => (await import("./views/alerts.ts")).AlertsView,
  alert: async () => (await import("./views/alert.ts")).AlertView,
  entities: async () => (await import("./views/entities.ts")).EntitiesView,
  entity: async () => (await import("./views/entity.ts")).EntityView,
  remediations: async () => (await import("./views/remediation-list.ts")).RemediationsView,
  timeline: async () => (await import("./views/timeline/timeline.ts")).TimelineView,
  rules: async () => (await import("./views/rules.ts")).RulesView,
  try: async () => (await import("./views/try-rule.ts")).TryRuleView,
  backtest: async () => (await import("./views/backtest.ts")).BacktestView,
};

const loaded = signal<ReadonlyMap<string, View>>(new Map());
const begun = new Set<string>();

export function isLaterView(name: string): boolean {
  return Object.hasOwn(VIEWS, name);
}

/** All of them, so that the next one is there at once, and still after the daemon was replaced by another version. */
export function loadLaterViews(): void {
  for (const name of Object.keys(VIEWS)) void load(name);
}

async function load(name: string): Promise<void> {
  if (begun.has(name)) return;
  begun.add(name);
  const found = await VIEWS[name]?.().catch(() => {
    // It is tried again when it is asked for the next time.
    begun.delete(name);
    return NotLoaded;
  });
  if (found !== undefined) loaded.value = new Map([...loaded.value, [name, found]]);
}

export function LaterView({ name }: { readonly name: string }): Markup {
  useEffect(() => void load(name), [name]);
  const found = loaded.value.get(name);
  return found === undefined ? html`<p class="quiet">Loading …</p>` : html`<${found} />`;
}

function NotLoaded(): Markup {
  return html`<p class="card">
    This view could not be loaded: aggwatch does not answer, or is another version now.
    <a href="./">Load the page again</a>.
  </p>`;
}
