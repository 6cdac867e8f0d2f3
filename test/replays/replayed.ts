import { HOME } from "../../src/domain/lease.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { actionsByName } from "../../src/actions/index.ts";
import { compileRuleSet, enabledRules } from "../../src/config/rules/rules.ts";
import { MINUTE, SECOND, HOUR } from "../../src/domain/time.ts";
import type { Finding } from "../../src/domain/finding.ts";
import { withRecord } from "../io/journal/with-record.ts";
import { kinds } from "../../src/pollers/kinds.ts";
import { rebuild } from "../../src/record/rebuild.ts";
import { toEnd } from "../../src/domain/slices.ts";
import { landmarksOf } from "../../src/backtest/landmarks.ts";
import { replay } from "../../src/backtest/replay.ts";
import { decidingBy } from "../../src/run/setup.ts";

/** One thing that was found, in a line: instant, what, of what. Numbers of polls and texts may change. */
export type Told = { readonly at: number; readonly text: string };

/** What a journal kept as a fixture comes to, replayed by the rules beside it. */
export function replayed(directory: string): {
  readonly told: readonly Told[];
  readonly problems: readonly string[];
  readonly divergences: number;
} {
  const file = join(directory, "rules.yaml");
  const { compiled, problems: wrong } = compileRuleSet({
    files: [{ name: file, text: readFileSync(file, "utf8") }],
    kinds,
    actions: actionsByName,
  });
  if (wrong.length > 0) throw new Error(JSON.stringify(wrong));
  const told: Told[] = [];
  const problems: string[] = [];
  let divergences = 0;
  const done = withRecord(join(directory, "journal.sqlite"), (source) => {
    const record = () => rebuild(source.pages(0, HOME), kinds, (problem) => problems.push(problem));
    const value = toEnd(
      replay({
        policy: decidingBy(enabledRules(compiled), ACTING),
        record: record(),
        landmarks: toEnd(landmarksOf(record())),
        onFinding: (at, finding) => told.push(...tell(at, finding)),
        onDivergence: () => (divergences += 1),
      }),
    );
    return { ok: true, value };
  });
  if (!done.ok) throw new Error(done.problem);
  return { told, problems, divergences };
}

/** What the daemon itself wrote down while it ran. */
export function foundLive(directory: string): readonly Told[] {
  const database = new DatabaseSync(join(directory, "journal.sqlite"), { readOnly: true });
  const rows = database.prepare("SELECT at, body FROM finding ORDER BY seq").all();
  database.close();
  return rows.flatMap((row) => tell(Number(row["at"]), JSON.parse(String(row["body"])) as Finding));
}

/** As in the config that the journals were recorded under (quickConfig). */
const ACTING = {
  mode: "act",
  budget: { max: 20, perMs: HOUR },
  budgets: {},
  settleAfterStartMs: 0,
  maxAgeMs: MINUTE,
  confirmWithinMs: 15 * SECOND,
  approvalExpiresAfterMs: 30 * MINUTE,
  undoWindowMs: 30 * MINUTE,
  undoLimit: 2,
  rampIntervalMs: MINUTE,
} as const;

/** Only what earlier versions found too: later ones may find more kinds of things. */
function tell(at: number, finding: Finding): Told[] {
  if (finding.type === "alert") return [{ at, text: `${finding.change} ${finding.alert.key}` }];
  if (finding.type === "remediation") {
    const { id, state, action } = finding.remediation;
    return [{ at, text: `${id} ${state} ${action}` }];
  }
  if (finding.type === "suppressed") {
    return [{ at, text: `suppressed ${finding.alert} ${finding.reason}` }];
  }
  if (finding.type === "entity") {
    const { kind, id } = finding.entity;
    return [{ at, text: `${finding.change} ${kind} ${id} ${finding.detail}` }];
  }
  const isStanding = ["kill", "hold", "storm", "quarantine"].includes(finding.type);
  return isStanding ? [{ at, text: finding.type }] : [];
}
