import { explain, explanationSentences, withRecorded } from "../core/explain/explain.ts";
import { explainPast, storyBegin, pastSentences, type Past } from "../core/explain/explain-past.ts";
import { coverageOf } from "../core/explain/coverage.ts";
import { lastingThen } from "../core/explain/lasting-alert.ts";
import { tryRule } from "../core/explain/trial.ts";
import { overviewOf, statusInSlices } from "../core/explain/status.ts";
import { isOfRows } from "../core/observe/unread.ts";
import type { State } from "../core/state.ts";
import { judges } from "../core/judge/verdict.ts";
import { alertKey } from "../domain/alert.ts";
import { entityKey, endedText, type EntityId, type Parent } from "../domain/entity.ts";
import type { Finding } from "../domain/finding.ts";
import { fail, succeed, type Result } from "../domain/result.ts";
import type { Policy } from "../domain/step.ts";
import { formatInstant, type Clock, type Instant } from "../domain/time.ts";
import { checkNames } from "../io/api/lists/known-names.ts";
import { thereIsNo } from "../io/api/lists/there-is-no.ts";
import { viewOf } from "../io/api/lists/view.ts";
import type { JournalReading } from "../io/journal/past.ts";
import { DatabaseAway } from "../io/postgres/database.ts";
import type { CommandOutcome, Explained, KnownNames, LoopSource } from "../io/api/server-source.ts";
import type { Kept } from "./commit/loop-journal.ts";
import type { Loop } from "./loop.ts";
import type { Lease } from "./replica/lease.ts";
import type { WatchLists } from "./watch-list/watch-lists.ts";

type Parts = {
  readonly loop: Pick<
    Loop,
    "askInSlices" | "idle" | "isAbandoned" | "defect" | "policy" | "state" | "stateSoFar"
  >;
  readonly clock: Clock;
  readonly journal: JournalReading;
  readonly lists: Pick<WatchLists, "sync" | "reading">;
  /** If the journal is shared. */
  readonly lease?: Pick<Lease, "leftMs"> | undefined;
};

/** The loop as the servers see it: its commands go through the loop, its answers come from state and journal. */
export function createLoopSource(parts: Parts): LoopSource {
  const { loop, clock, journal, lists } = parts;
  const inTurn = createTurns();
  return {
    idle: loop.idle,
    status: () => statusInSlices(loop.policy(), loop.state()),
    overview: () => overviewOf(loop.policy(), loop.state()),
    view: () => viewOf(loop.policy(), loop.state()),
    findings: journal.findings,
    outbox: () => loop.state().tables.notification,
    coverage: (aggregator) => coverageOf(loop.policy(), loop.state(), aggregator),
    past: journal,
    command: async (by, reason, asked) => {
      const checked = checkNames(asked, namesOf(loop.policy()));
      // By the config of the one that carries the command out, whichever replica was asked.
      if (!checked.ok) return { ...notDone("the body is wrong"), problems: checked.problem };
      const command = checked.value;
      const answer = await inTurn(() => loop.askInSlices({ type: "command", by, reason, command }));
      const defect = loop.defect();
      if (answer === undefined && (loop.isAbandoned() || defect !== undefined))
        return notDone(lostText("dropped", defect));
      const found = answer?.result.findings.find(
        (finding): finding is Extract<Finding, { type: "command" }> => finding.type === "command",
      );
      if (answer === undefined || found === undefined)
        return notDone("a bug in the core: its log says which, and acting is stopped");
      if (found.accepted && (command.name === "watch" || command.name === "unwatch")) {
        // Otherwise it would end the event that has begun since, without slices.
        await loop.idle();
        lists.sync();
      }
      return outcomeOf(found, await answer.kept, parts);
    },
    trial: (rule) => tryRule(loop.policy, loop.state, rule),
    names: () => namesOf(loop.policy()),
    // A standby whose clock is behind shows what has happened by that of the owner.
    now: () => Math.max(clock.now(), loop.stateSoFar().at),
    explain: (rule, entity, at) => {
      if (at !== undefined) return explainThen(parts, rule, entity, at);
      const now = explainNow(loop.policy(), loop.state(), rule, entity);
      return isOfRows(loop.state()) ? asRecorded(parts, rule, entity, now) : now;
    },
    watched: lists.reading,
  };
}

/** The answer to a command that was not carried out, or perhaps not; `detail` says why. */
function notDone(detail: string): CommandOutcome {
  return { accepted: false, subject: "", detail, durable: false };
}

function namesOf({ aggregators, kinds, rules }: Policy): KnownNames {
  return {
    aggregator: aggregators.map(({ name }) => name),
    kind: [...kinds.keys()],
    rule: [...rules.keys()],
  };
}

/** One after another: each command goes before all that waits, and so would go before the command before it. */
function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return <Value>(work: () => Promise<Value>): Promise<Value> => {
    const own = last.then(work);
    last = own.catch(() => undefined);
    return own;
  };
}

function outcomeOf(
  { accepted, subject, detail }: Extract<Finding, { type: "command" }>,
  kept: Kept,
  { loop, lease }: Pick<Parts, "loop" | "lease">,
): CommandOutcome {
  if (kept === "durable") return { accepted, subject, detail, durable: true };
  if (kept !== "unrecorded") return { ...notDone(lostText(kept, loop.defect())), subject };
  if (accepted && lease?.leftMs() === 0) return { ...notDone(`${detail}. ${HERE_ALONE}`), subject };
  return { accepted, subject, detail, durable: false };
}

/** A command that is in force here, and does not reach who acts. */
const HERE_ALONE =
  "This is so here alone, and not recorded: this replica's lease has run out and another may act: give it to that one too.";

/** What a command is answered if deciding ended before it was on disk, or known to be: by a bug, or by a new owner. */
function lostText(kept: "dropped" | "unknown", defect: string | undefined): string {
  const why =
    defect === undefined
      ? "another replica took over meanwhile"
      : `there was a bug in the core (${defect})`;
  return kept === "dropped"
    ? `nothing was done: ${why}. Give the command again.`
    : `${why}, and it is not known whether this was done: look first.`;
}

function explainNow(
  policy: Policy,
  state: State,
  rule: string,
  entity: EntityId,
): Result<Explained, string> {
  const explanation = explain(policy, state, rule, entity, state.at);
  if (explanation !== undefined) {
    return succeed({ explanation, sentences: explanationSentences(policy.kinds, explanation) });
  }
  const known = policy.rules.get(rule);
  if (known === undefined) return fail(noRule(policy, state, rule, entityKey(entity)));
  if (known.kind !== entity.kind) {
    return fail(`the rule ${rule} judges entities of the kind ${known.kind}, not ${entity.kind}`);
  }
  if (!judges(known, entity.aggregator))
    return fail(`the rule ${rule} does not judge ${entity.aggregator}`);
  const key = entityKey(entity);
  const kept = state.tables.alert.get(alertKey(rule, key));
  if (kept !== undefined) {
    const at = formatInstant(kept.resolvedAt ?? state.at);
    const why = kept.resolvedBecause === "unwatched" ? "unwatched" : "gone";
    return fail(
      `${key}: ${endedText(why, policy.kinds.get(entity.kind))}; --at ${at}, or at= in the API, shows how it was`,
    );
  }
  return fail(`${key} is not known: it was never seen, or it is gone`);
}

/** The replica that judges may have other files than one that only shows what it found. */
function noRule({ rules }: Policy, state: State, rule: string, entity: string): string {
  if (!isOfRows(state)) return thereIsNo("rule", rule, [...rules.keys()]);
  const lacks = `the files of this replica have no rule ${rule}`;
  const alert = state.tables.alert.get(alertKey(rule, entity));
  if (alert === undefined || alert.state === "resolved") return lacks;
  return `${lacks}; its alert on ${entity} is ${alert.state}: ask the replica that acts`;
}

/**
 * A standby has only the rows, which do not say when each thing was read, so it cannot ask the guards. What they told
 * the owner was recorded whenever it changed. Everything else is in the rows.
 */
async function asRecorded(
  parts: Parts,
  rule: string,
  entity: EntityId,
  now: Result<Explained, string>,
): Promise<Result<Explained, string>> {
  if (!now.ok) return now;
  const { explanation: it } = now.value;
  if (it.alert?.state !== "pending" && it.alert?.state !== "firing") return now;
  const found = await lastKnown(parts, alertKey(rule, entityKey(entity)));
  const { judgement } = explainPast({ rule, entity, at: it.at, found });
  if (judgement === undefined) return now;
  const explanation = withRecorded(it, judgement);
  const sentences = explanationSentences(parts.loop.policy().kinds, explanation);
  return succeed({ explanation, sentences });
}

/** Nothing if the database is away: the rows are an answer by themselves. */
async function lastKnown({ journal, clock }: Parts, alert: string): Promise<readonly Past[]> {
  try {
    return await journal.historyOf(alert, clock.now());
  } catch (error) {
    if (!(error instanceof DatabaseAway)) throw error;
    return [];
  }
}

/** What the entity of an alert belonged to, which the journal remembers if the entity is gone. */
function parentIn(found: readonly Past[]): Parent | undefined {
  for (const { finding } of found) if (finding.type === "alert") return finding.alert.parent;
  return undefined;
}

/** The rule and the entity may be gone: the journal remembers both. */
async function explainThen(
  { loop, journal }: Parts,
  rule: string,
  { aggregator, kind, id }: EntityId,
  at: Instant,
): Promise<Result<Explained, string>> {
  const oldest = await journal.reachesBackTo();
  if (oldest === undefined || at < oldest) {
    const reach = oldest === undefined ? "is empty" : `looks back to ${formatInstant(oldest)} only`;
    return fail(`the journal ${reach}`);
  }
  const key = entityKey({ aggregator, kind, id });
  const alert = alertKey(rule, key);
  const found = await journal.historyOf(alert, at);
  const { tables } = loop.state();
  const parent = tables.entity.get(key)?.parent ?? parentIn(found);
  const entity = { aggregator, kind, id, ...(parent === undefined ? {} : { parent }) };
  const ofNow = tables.alert.get(alert);
  const lasting = ofNow && lastingThen(ofNow, at);
  const question = { rule, entity, at, found, ...(lasting === undefined ? {} : { lasting }) };
  const from = storyBegin(question);
  const sentences = pastSentences(
    loop.policy().kinds,
    question,
    from === undefined ? [] : await journal.orders(from, at),
  );
  return succeed({ explanation: explainPast(question), sentences });
}
