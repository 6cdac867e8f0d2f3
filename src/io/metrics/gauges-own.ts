import { HEARTBEAT_REASONS } from "../../core/explain/heartbeat.ts";
import { SECOND } from "../../domain/time.ts";
import type { GaugeDefinition } from "./definition.ts";

/** How aggwatch itself is: its journal and its heartbeat. */
export const ownGauges: readonly GaugeDefinition[] = [
  {
    name: "aggwatch_journal_size_bytes",
    help: "Size of the journal's files, in bytes.",
    labels: [],
    read: ({ journalBytes }) => (journalBytes === undefined ? [] : [[{}, journalBytes]]),
  },
  {
    name: "aggwatch_heartbeat_withheld",
    help: "1 for each reason for which the heartbeat is withheld, or would be if one were configured, else 0.",
    labels: ["reason"],
    read: ({ heartbeat }) =>
      HEARTBEAT_REASONS.map((reason) => [
        { reason },
        heartbeat?.reasons.includes(reason) === true ? 1 : 0,
      ]),
  },
  {
    name: "aggwatch_heartbeat_last_success_timestamp_seconds",
    help: "When the heartbeat was last answered; 0 before the first, absent where none is configured.",
    labels: [],
    read: ({ heartbeat }) => {
      const at = heartbeat?.lastSuccessAt;
      return at === undefined ? [] : [[{}, at / SECOND]];
    },
  },
];
