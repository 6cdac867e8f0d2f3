import type { SettingChange } from "../../config/settings/setting-entries.ts";
import type { ReloadDone } from "../api/server-source.ts";

/** The most names of a kind in one line of the log, and the most settings of a reload in the journal. */
const MOST_LOGGED = 20;
/** In characters, of a text that is logged or kept: a list of names may have thousands. */
const LONGEST_LOGGED = 100;

function some(texts: readonly string[]): readonly string[] {
  return texts.slice(0, MOST_LOGGED);
}

/** Without the query of a URL, which may hold a credential. */
function short(text: string): string {
  const known = text.replace(/(https?:\/\/[^\s?#"]*)\?[^\s"]*/g, "$1?…");
  return known.length > LONGEST_LOGGED ? `${known.slice(0, LONGEST_LOGGED)}…` : known;
}

/** The settings that differ, as texts for the log and the journal. */
export function someSettings(changes: readonly SettingChange[]): readonly string[] {
  const texts = some(
    changes.map(({ key, before, after }) => `${key}: ${short(before)} -> ${short(after)}`),
  );
  const more = changes.length - texts.length;
  return more === 0 ? texts : [...texts, `and ${more} more`];
}

/** What a line of the log says of a reload. */
export function reloadFields(
  by: string,
  { settings, rules, alerts, actions, entitiesEnded }: ReloadDone,
) {
  return {
    by,
    settings: someSettings(settings),
    added: some(rules.added),
    removed: some(rules.removed),
    changed: some(rules.changed),
    alerts: some(alerts.map((one) => `${one.alertname} ${one.entity} ${one.change}`)),
    actions: some(actions.map((one) => `${one.action} ${one.entity} ${one.outcome}`)),
    alerts_total: alerts.length,
    actions_total: actions.length,
    entities_ended: entitiesEnded,
  };
}
