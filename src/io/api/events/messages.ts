import { parseAlertKey } from "../../../domain/alert.ts";
import type { StateTable } from "../../../domain/step.ts";
import { formatInstant } from "../../../domain/time.ts";
import type { TimeSlice } from "../../process/time-slice.ts";
import type { JsonOf } from "../codec.ts";
import { openAlertsOf, type entityRow } from "../lists/entity-row.ts";
import { namedFinding, namedFindingOf } from "../lists/named-finding.ts";
import { pollIn } from "../lists/poll-history.ts";
import { inhibitorsOf, type View } from "../lists/view.ts";
import { alertRow, remediationRow } from "../status-rows.ts";
import type { Gathered } from "./gathered.ts";
import { createSentEntities, createSentRows, type RowChange } from "./last-sent.ts";

/** The data of the server-sent events, by topic. */
type Topics = {
  readonly entities: {
    readonly at: string;
    readonly changes: ReadonlyArray<RowChange<EntityJson>>;
  };
  readonly alerts: { readonly at: string; readonly changes: ReadonlyArray<RowChange<AlertJson>> };
  readonly remediations: {
    readonly at: string;
    readonly changes: ReadonlyArray<RowChange<JsonOf<typeof remediationRow>>>;
  };
  /** The changed lists: read `/api/v1/overview` again. */
  readonly overview: { readonly at: string; readonly changed: readonly StateTable[] };
  readonly polls: { readonly at: string; readonly polls: readonly Poll[] };
  readonly findings: {
    readonly at: string;
    readonly left_out: number;
    readonly findings: ReadonlyArray<JsonOf<typeof namedFinding>>;
  };
};

type EntityJson = JsonOf<typeof entityRow>;
type AlertJson = JsonOf<typeof alertRow>;

export const TOPICS = [
  "entities",
  "alerts",
  "remediations",
  "overview",
  "polls",
  "findings",
] as const satisfies ReadonlyArray<keyof Topics>;
export type Topic = (typeof TOPICS)[number];

type Poll = {
  readonly aggregator: string;
  /** The id of the poller's entity. */
  readonly poller: string;
  readonly at: string;
  readonly outcome: string;
  readonly duration_ms: number;
  readonly detail: string;
};

type MessageMaker = {
  /** Takes everything as known, because viewers read it from now on. */
  readonly begin: () => Promise<void>;
  /** The data to send, for each topic that has any. */
  readonly make: (gathered: Gathered) => Promise<Partial<Topics>>;
};

/** Makes messages of changes, in slices, because everything may have changed. */
export function createMessageMaker(view: () => View, slice: TimeSlice): MessageMaker {
  const entities = createSentEntities();
  const alerts = createSentRows<AlertJson>();
  const remediations = createSentRows<JsonOf<typeof remediationRow>>();

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
    const inhibitors = inhibitorsOf(view());
    return (key) => {
      const alert = view().alerts.get(key);
      return alert && alertRow.encode({ ...alert, inhibitedBy: inhibitors(alert) });
    };
  };
  const remediationNow = (key: string): JsonOf<typeof remediationRow> | undefined => {
    const remediation = view().remediations.get(key);
    return remediation && remediationRow.encode(remediation);
  };

  return {
    begin: async () => {
      slice.begin();
      const open = openAlertsOf(view());
      await each([...view().entities.keys()], (key) => entities.remember(key, view(), open));
      const alertNow = alertReader();
      await each([...view().alerts.keys()], (key) => void alerts.change(key, alertNow(key)));
      const keys = [...view().remediations.keys()];
      await each(keys, (key) => void remediations.change(key, remediationNow(key)));
    },
    make: async (gathered) => {
      slice.begin();
      const open = openAlertsOf(view());
      const alertNow = alertReader();
      return topicsOf(view(), {
        entities: await each(changedEntities(gathered, view()), (key) =>
          entities.change(key, view(), open),
        ),
        alerts: await each(withInhibited(gathered.alerts, view()), (key) =>
          alerts.change(key, alertNow(key)),
        ),
        remediations: await each(gathered.remediations, (key) =>
          remediations.change(key, remediationNow(key)),
        ),
        gathered,
      });
    },
  };
}

function changedEntities({ entities, anyEntity }: Gathered, view: View): ReadonlySet<string> {
  return anyEntity ? new Set([...view.entities.keys(), ...entities]) : entities;
}

/** A topic without changes is left out. */
function topicsOf(
  { at: instant, entities: entitiesNow }: View,
  changed: {
    readonly entities: Topics["entities"]["changes"];
    readonly alerts: Topics["alerts"]["changes"];
    readonly remediations: Topics["remediations"]["changes"];
    readonly gathered: Gathered;
  },
): Partial<Topics> {
  const at = formatInstant(instant);
  const { entities, alerts, remediations, gathered } = changed;
  const polls = pollsOf(gathered);
  const findings = gathered.findings.map((one) =>
    namedFinding.encode(namedFindingOf(entitiesNow, one)),
  );
  const { overview, findingsLeftOut: left_out } = gathered;
  return {
    ...(entities.length > 0 && { entities: { at, changes: entities } }),
    ...(alerts.length > 0 && { alerts: { at, changes: alerts } }),
    ...(remediations.length > 0 && { remediations: { at, changes: remediations } }),
    ...(overview.size > 0 && { overview: { at, changed: [...overview] } }),
    ...(polls.length > 0 && { polls: { at, polls } }),
    ...(findings.length > 0 && { findings: { at, left_out, findings } }),
  };
}

/** An alert that begins or stops firing also changes the alerts that its rule inhibits. */
function withInhibited(changed: ReadonlySet<string>, { rules, alerts }: View): Iterable<string> {
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

function pollsOf({ polls }: Gathered): Poll[] {
  return polls.flatMap(({ at: instant, finding }) => {
    const poll = pollIn(finding);
    if (poll === undefined) return [];
    const { aggregator, poller, outcome, durationMs, detail } = poll;
    const [at, duration_ms] = [formatInstant(instant), Math.round(durationMs)];
    return [{ aggregator, poller, at, outcome, duration_ms, detail }];
  });
}
