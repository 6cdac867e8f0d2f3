import { COMMITS_PER_PRUNING } from "../../io/journal/retention.ts";
import { messageOf } from "../../domain/error-message.ts";
import type { Finding } from "../../domain/finding.ts";
import type { LaterJournal } from "../commit/loop-journal.ts";
import type { SharedWorld } from "./shared-world.ts";

/** What the owner does with each commit beside committing it. */

/**
 * The same journal, without what `home` finds as well. In the journal, the alerts of several units that `home` reports
 * would look like one, and a reload like many.
 */
export function withoutFindingsOfHome(
  journal: LaterJournal,
  kinds: ReadonlySet<string> = new Set(),
): LaterJournal {
  const isOfHome = (finding: Finding): boolean =>
    finding.type === "policy" || (finding.type === "alert" && kinds.has(finding.alert.entity.kind));
  return {
    rows: journal.rows,
    commitLater: async (record) => {
      const findings = record.findings.filter(({ finding }) => !isOfHome(finding));
      return await journal.commitLater({ ...record, findings });
    },
  };
}

/** The same, which now and then adds the deletion of what is too old to a commit. */
export function pruned(
  journal: LaterJournal,
  { journal: shared, log, current }: SharedWorld,
  now: () => number,
): LaterJournal {
  let commits = 0;
  let pruning: Promise<void> | undefined;
  return {
    rows: journal.rows,
    commitLater: async (record) => {
      const committed = await journal.commitLater(record);
      commits += 1;
      if (commits % COMMITS_PER_PRUNING === 0)
        pruning ??= shared
          .prune(now(), { record: current().setup.settings.record })
          .catch((error: unknown) => {
            log.warn({ detail: messageOf(error) }, "what is too old was not deleted");
          })
          .finally(() => {
            pruning = undefined;
          });
      return committed;
    },
  };
}
