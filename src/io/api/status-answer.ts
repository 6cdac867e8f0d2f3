import type { EntityStatus, Overview, Status } from "../../core/explain/status.ts";
import type { ProposalStatus } from "../../core/explain/status-acting.ts";
import { MODES } from "../../domain/action.ts";
import { mapInSlices, type Slices } from "../../domain/slices.ts";
import type { WatchReading } from "../../domain/watch.ts";
import { shownFacts } from "./answer-parts.ts";
import {
  documented,
  instant,
  list,
  longList,
  number,
  object,
  orNull,
  text,
  word,
  type ValueOf,
} from "./codec.ts";
import {
  alertRow,
  channelRow,
  coverageRow,
  entityRow,
  overrideRow,
  proposalAnswer,
  remediationRow,
  stormRow,
} from "./status-rows.ts";
import type { ServerSource } from "./server-source.ts";
import { countsOf } from "./watch-counts.ts";

/** The answer of `GET /api/v1/status`: all that is known now. */

/** The fields that stay short however much is watched; the overview has them, too. */
export const commonStatus = {
  version: text,
  at: instant,
  startedAt: instant,
  mode: word(MODES),
  replica: documented(orNull(text), {
    description:
      "If the answer was read from the replicas' database: the role of this replica, and the age of the answer.",
  }),
  /** Problems of aggwatch itself, one line each, as on the page and in `/healthz`. */
  notices: list(text),
  killed: list(object({ source: text, since: instant, by: text, reason: text })),
  proposals: list(proposalAnswer),
  holds: list(overrideRow),
  silences: list(overrideRow),
  quarantines: list(object({ entity: text, since: instant, reason: text })),
  storms: list(stormRow),
  channels: list(channelRow),
  // A field of the overview without a codec would be left out without a word: so it does not compile.
} satisfies Record<Exclude<keyof Overview, "kinds"> | "version" | "replica" | "notices", unknown>;

/** The entries of the watch lists, counted by kind and by the first of their sources. */
export const watched = list(object({ kind: text, source: text, entries: number }));

export const statusAnswer = documented(
  object({
    ...commonStatus,
    aggregators: list(
      object({
        name: text,
        pollers: list(entityRow),
        entities: longList(entityRow),
        coverage: documented(list(coverageRow), {
          description: "On how many of the entities that were read each rule can decide.",
        }),
        watched,
      }),
    ),
    alerts: longList(alertRow),
    remediations: list(remediationRow),
  }),
  "Status",
);

export type StatusAnswer = ValueOf<typeof statusAnswer>;

/** The part that only the server knows. */
type ServerPart = {
  readonly version: string;
  readonly replica: string | undefined;
  readonly notices: readonly string[];
  readonly watched: readonly WatchReading[];
};

export function serverPartOf({
  version,
  watched: lists,
  ...own
}: Pick<ServerSource, "version" | "watched" | "unhealthy" | "notices" | "replica">): ServerPart {
  const notices = [...own.unhealthy(), ...own.notices()];
  return { version, replica: own.replica?.(), notices, watched: lists() };
}

/** In slices, as the status itself. */
export function* statusAnswerOf(status: Status, serverPart: ServerPart): Slices<StatusAnswer> {
  const shown = <Own extends EntityStatus>(one: Own): Own => ({
    ...one,
    facts: shownFacts(one.facts, status.kinds.get(one.kind)),
  });
  const aggregators: StatusAnswer["aggregators"][number][] = [];
  for (const one of status.aggregators)
    aggregators.push({
      ...one,
      pollers: one.pollers.map(shown),
      entities: yield* mapInSlices(one.entities, shown),
      watched: watchedBy(one.name, serverPart),
    });
  return { ...status, ...commonStatusOf(status, serverPart), aggregators };
}

export function commonStatusOf(status: Overview, { version, replica, notices }: ServerPart) {
  return {
    ...status,
    version,
    replica,
    notices,
    startedAt: Math.max(0, status.startedAt),
    proposals: status.proposals.map((one) => proposalAnswerOf(one, status.kinds)),
    channels: status.channels.map((one) => ({ ...one, lastError: one.lastError?.detail })),
  };
}

export function watchedBy(name: string, { watched: all }: ServerPart) {
  return all.filter(({ aggregator }) => aggregator === name).flatMap(countsOf);
}

export function proposalAnswerOf(
  one: ProposalStatus,
  kinds: Status["kinds"],
): ValueOf<typeof proposalAnswer> {
  const { call: asked, facts: own } = one.shown;
  return { ...one, call: asked, facts: shownFacts(own, kinds.get(one.entity.kind)) };
}
