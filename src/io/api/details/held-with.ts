import { alertKey } from "../../../domain/alert.ts";
import { entityKey, parseEntityKey } from "../../../domain/entity.ts";
import type { Member } from "../../../domain/hold.ts";
import type { Instant } from "../../../domain/time.ts";
import type { JournalReading } from "../../journal/past.ts";
import { isNamed } from "../lists/query.ts";
import type { View } from "../lists/view.ts";

/** What may be gone by now, and what it is looked for by. */
export type Known = {
  readonly view: Pick<View, "entities" | "rules">;
  readonly aggregators: readonly string[];
  readonly until: Instant;
};

/**
 * The entities of a name, as members of what a hold may cover: those that are known, or if none is, those of which the
 * journal has an alert. A pair is not listed any more once it is well, and its past is asked for then.
 */
export async function membersNamed(
  asked: string,
  journal: Pick<JournalReading, "historyOf">,
  { view, aggregators, until }: Known,
): Promise<readonly Member[]> {
  const members: Member[] = [];
  for (const [key, one] of view.entities) if (isNamed(asked, key)) members.push(one);
  if (members.length > 0) return members;
  for (const aggregator of aggregators) {
    const key = asked.startsWith(`${aggregator}/`) ? asked : `${aggregator}/${asked}`;
    const gone = await memberGone(key, journal, { view, until });
    if (gone !== undefined) members.push(gone);
  }
  return members;
}

async function memberGone(
  key: string,
  journal: Pick<JournalReading, "historyOf">,
  { view: { rules }, until }: Pick<Known, "view" | "until">,
): Promise<Member | undefined> {
  const id = parseEntityKey(key);
  for (const { alert: rule, kind } of rules.values()) {
    if (kind !== id.kind) continue;
    const found = await journal.historyOf(alertKey(rule, entityKey(id)), until);
    for (const { finding } of found) {
      if (finding.type !== "alert") continue;
      const { parent } = finding.alert;
      return { ...id, ...(parent && { parent }) };
    }
  }
  return undefined;
}
