import { alertStatusOf } from "../../../core/explain/alert-status.ts";
import { parseAlertKey } from "../../../domain/alert.ts";
import { formatInstant } from "../../../domain/time.ts";
import type { StoredFinding } from "../../journal/rows.ts";
import type { TimeSlice } from "../../process/time-slice.ts";
import type { JsonOf } from "../codec.ts";
import { namedFinding, namedFindingOf } from "../finding-row.ts";
import { openAlertsOf } from "../lists/entity-row.ts";
import { pollIn } from "../lists/poll-history.ts";
import type { View } from "../lists/view.ts";
import { alertRow, remediationRow } from "../status-rows.ts";
import type { Gathered } from "./gathered.ts";
import { createSentEntities, createSentRows } from "./last-sent.ts";

/** What the server-sent events are about. */
export const TOPICS = [
  "entities",
  "alerts",
  "remediations",
  "overview",
  "polls",
  "findings",
] as const;
export type Topic = (typeof TOPICS)[number];

type AlertJson = JsonOf<typeof alertRow>;
type RemediationJson = JsonOf<typeof remediationRow>;

/** Makes messages of changes, in slices, because everything may have changed. */
export function createMessageMaker(view: () => View, slice: TimeSlice) {
  const entities = createSentEntities();
  const alerts = createSentRows<AlertJson>();
  const remediations = createSentRows<RemediationJson>();

  async function each<Made>(
    keys: Iterable<string>,
    make: (key: string) => Made | undefined,
  ): Promise<Made[]> {
    const all: Made[] = [];
    for (const key of keys) {
      const made = make(key);
      if (made !== undefined) all.push(made);
      if (slice.isOver()) await slice.next();
    }
    return all;
  }

  const alertReader = (): ((key: string) => AlertJson | undefined) => {
    const rowOf = alertStatusOf(view());
    return (key) => {
      const alert = view().alerts.get(key);
      return alert && alertRow.encode(rowOf(alert));
    };
  };
  const remediationNow = (key: string): RemediationJson | undefined => {
    const remediation = view().remediations.get(key);
    return remediation && remediationRow.encode(remediation);
  };

  return {
    /** Takes everything as known, because viewers read it from now on. */
    begin: async (): Promise<void> => {
      slice.begin();
      const open = openAlertsOf(view());
      await each([...view().entities.keys()], (key) => entities.remember(key, view(), open));
      const alertNow = alertReader();
      await each([...view().alerts.keys()], (key) => void alerts.change(key, alertNow(key)));
      const keys = [...view().remediations.keys()];
      await each(keys, (key) => void remediations.change(key, remediationNow(key)));
    },
    /** The data to send, for each topic that has any. */
    make: async (gathered: Gathered) => {
      slice.begin();
      const open = openAlertsOf(view());
      const alertNow = alertReader();
      return topicsOf(view(), gathered, {
        entities: await each(changedEntities(gathered, view()), (key) =>
          entities.change(key, view(), open),
        ),
        alerts: await each(changedAlerts(gathered, view()), (key) =>
          alerts.change(key, alertNow(key)),
        ),
        remediations: await each(gathered.remediations, (key) =>
          remediations.change(key, remediationNow(key)),
        ),
      });
    },
  };
}

function changedEntities({ entities, anyEntity }: Gathered, view: View): ReadonlySet<string> {
  return anyEntity ? new Set([...view.entities.keys(), ...entities]) : entities;
}

type ChangedRows = Readonly<Record<"entities" | "alerts" | "remediations", readonly object[]>>;

/** A topic without changes is left out. */
function topicsOf(
  { at: instant, entities: entitiesNow }: View,
  { overview, findings: found, findingsLeftOut: left_out, polls: ofPolls }: Gathered,
  { entities, alerts, remediations }: ChangedRows,
) {
  const at = formatInstant(instant);
  const polls = ofPolls.flatMap(pollOf);
  const findings = found.map((one) => namedFinding.encode(namedFindingOf(entitiesNow, one)));
  return {
    ...(entities.length > 0 && { entities: { at, changes: entities } }),
    ...(alerts.length > 0 && { alerts: { at, changes: alerts } }),
    ...(remediations.length > 0 && { remediations: { at, changes: remediations } }),
    // The lists that changed: viewers read `/api/v1/overview` again.
    ...(overview.size > 0 && { overview: { at, changed: [...overview] } }),
    ...(polls.length > 0 && { polls: { at, polls } }),
    ...(findings.length > 0 && { findings: { at, left_out, findings } }),
  };
}

/**
 * An alert that begins or stops firing also changes the alerts that its rule inhibits, a silence those that it covers,
 * and a remediation its own.
 */
function changedAlerts(
  { alerts: own, remediations: settled, overview }: Gathered,
  { rules, alerts, remediations }: View,
): Iterable<string> {
  if (overview.has("silence")) return new Set([...own, ...alerts.keys()]);
  const repaired = [...settled].flatMap((key) => remediations.get(key)?.alert ?? []);
  const changed = new Set([...own, ...repaired]);
  const names = new Set([...changed].map((key) => parseAlertKey(key).rule));
  const inhibited = new Set(
    [...rules.values()].flatMap(({ alert, inhibitedBy }) =>
      inhibitedBy.some((one) => names.has(one)) ? [alert] : [],
    ),
  );
  if (inhibited.size === 0) return changed;
  const others = [...alerts].flatMap(([key, { rule }]) => (inhibited.has(rule) ? [key] : []));
  return new Set([...changed, ...others]);
}

function pollOf({ at: instant, finding }: StoredFinding) {
  const poll = pollIn(finding);
  if (poll === undefined) return [];
  // `poller` is the id of its entity.
  const { aggregator, poller, outcome, durationMs, detail } = poll;
  const [at, duration_ms] = [formatInstant(instant), Math.round(durationMs)];
  return [{ aggregator, poller, at, outcome, duration_ms, detail }];
}
