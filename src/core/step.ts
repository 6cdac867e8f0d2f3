import type { Observation } from "../domain/observation.ts";
import type { Event, Policy, StepResult } from "../domain/step.ts";
import { toEnd, type Slices } from "../domain/slices.ts";
import type { Instant } from "../domain/time.ts";
import { notify } from "./tell/notify.ts";
import { considerActing, confirmBy, expireConfirmations } from "./act/act.ts";
import { dispatch, settleBatch } from "./tell/dispatch.ts";
import { finish, newDraft, put, type Draft } from "./draft.ts";
import { expireOverrides } from "./change/holds.ts";
import { noteCoverage } from "./judge/coverage.ts";
import { judgeByTime, judgeAffected, adoptAlerts } from "./judge/judge.ts";
import { newAffected } from "./observe/entity-life.ts";
import { observe } from "./observe/observe.ts";
import { resume } from "./observe/resume.ts";
import { indexVanished } from "./observe/vanished.ts";
import { recordJudgements } from "./explain/judgement.ts";
import { watchedPoller } from "./policy.ts";
import { expectPollers, notePoll, noticeStalePollers } from "./observe/poller-health.ts";
import { endProposals } from "./act/propose.ts";
import { kill, applyCommand, unkill } from "./change/apply-command.ts";
import { leaveMoved, noteAddresses } from "./change/moved.ts";
import { adoptPolicy } from "./change/reload.ts";
import { forgetUsedAttempts } from "./act/used-attempts.ts";
import { settleByReading, settleByTime } from "./act/settle.ts";
import { doubtUnanswered, forgetOldRemediations, rejectUnsent, applyReply } from "./act/settle.ts";
import { adoptWatchLists } from "./change/rewatch.ts";
import { forgetUnwatched, isDerived, markAllUnknown, noteRestored } from "./start.ts";
import type { State } from "./state.ts";
import { adoptQuarantines, noteJudgements } from "./act/tug-of-war.ts";
import { endOutOfPlan } from "./observe/unplanned.ts";
import { updateStorms } from "./act/storm.ts";
import { forgetBecameBad } from "./act/storm-count.ts";

/**
 * The one function that decides everything. Synchronous and deterministic: the same policy, state,
 * event and instant give the same result. It changes `state`, and reports every durable row that it
 * changed; the caller commits those before it runs any effect.
 *
 * `at` must not be earlier than that of the step before.
 */
export function step(policy: Policy, state: State, event: Event, at: Instant): StepResult {
  return toEnd(stepInSlices(policy, state, event, at));
}

/**
 * The same for an event that may take long, such as a listing with 100 000 names. It is still one decision: until it
 * has ended, `state` must not be read, and no other event handled.
 */
export function* stepInSlices(
  policy: Policy,
  state: State,
  event: Event,
  at: Instant,
): Slices<StepResult> {
  if (at < state.at) throw new Error(`time went back from ${state.at} to ${at}`);
  state.at = at;
  const draft = newDraft(policy, state, at);
  // Before anything can act: after a hold has ended, acting begins with one action, whatever comes first.
  expireOverrides(draft);
  yield* apply(draft, event);
  endProposals(draft);
  yield* noteJudgements(draft);
  yield* considerActing(draft, event);
  yield* notify(draft, event.type);
  dispatch(draft);
  if (draft.touched.size > 0) rememberInstant(draft);
  yield* recordJudgements(draft);
  return yield* finish(draft);
}

function* apply(draft: Draft, event: Event): Slices {
  switch (event.type) {
    case "started":
      return yield* start(draft, event.journal === "unchecked");
    case "journal_checked":
      draft.state.journalUnchecked = false;
      return;
    case "lease":
      draft.state.lease = event.lease;
      return;
    case "home_alerts":
      draft.state.homeAlerts = event.alerts;
      return;
    case "observed":
      return yield* applyObservation(draft, event.observation);
    case "acted":
      return applyReply(draft, event.remediation, event.reply);
    case "notified":
      return settleBatch(draft, event.batch, event.delivery);
    case "tick":
      return yield* applyTick(draft);
    case "resumed":
      return yield* judgeAffected(draft, resume(draft, event.since, event.awayMs));
    case "command":
      return yield* applyCommand(draft, event.command, event.by, event.reason);
    case "policy_changed": {
      // One that was not watched in between has moved as well.
      const moved = new Set([...event.moved, ...noteAddresses(draft)]);
      yield* adoptPolicy(draft, { ...event, moved: [...moved] });
      forgetBecameBad(draft);
      return updateStorms(draft);
    }
    case "watch_changed":
      return yield* adoptWatchLists(draft, event.listed);
    case "journal":
      return applyJournal(draft, event.writable, event.detail, event.unsent);
  }
}

function* applyObservation(draft: Draft, observation: Observation): Slices {
  // It waited while a reload or a watch list ended its poller: what it read has ended as well.
  if (watchedPoller(draft.policy, observation.aggregator, observation.poller) === undefined) return;
  const affected = yield* observe(draft, observation);
  yield* endOutOfPlan(draft, observation, affected);
  notePoll(draft, observation, affected);
  yield* judgeAffected(draft, affected);
  yield* judgeAffected(draft, noteCoverage(draft, observation));
  yield* noteJudgements(draft);
  yield* forgetUsedAttempts(draft, affected);
  settleByReading(draft, observation);
  updateStorms(draft);
  confirmBy(draft, observation);
}

function* start(draft: Draft, journalUnchecked: boolean): Slices {
  draft.state.journalUnchecked = journalUnchecked;
  yield* markAllUnknown(draft);
  const affected = newAffected();
  yield* forgetUnwatched(draft, affected);
  indexVanished(draft, affected);
  noteRestored(draft);
  // Until now, what pollers say of themselves was said before the start.
  draft.state.startedAt = draft.at;
  expectPollers(draft, affected, "all");
  adoptAlerts(draft);
  // No reading will make their alerts known again.
  for (const [kind, keys] of draft.state.entitiesByKind) {
    if (isDerived(draft.policy, kind)) for (const key of keys) affected.changed.add(key);
  }
  yield* judgeAffected(draft, affected);
  doubtUnanswered(draft);
  leaveMoved(draft, noteAddresses(draft));
  adoptQuarantines(draft);
  forgetBecameBad(draft);
  updateStorms(draft);
  for (const source of ["journal", "bug"] as const) {
    if (draft.state.tables.kill.has(source))
      unkill(draft, source, "aggwatch", "the process started again");
  }
}

function* applyTick(draft: Draft): Slices {
  const affected = newAffected();
  yield* noticeStalePollers(draft, affected);
  yield* judgeAffected(draft, affected);
  yield* judgeByTime(draft);
  settleByTime(draft);
  updateStorms(draft);
  expireConfirmations(draft);
  forgetOldRemediations(draft);
}

/** Without a journal no action can be recorded before it is sent, so none is sent. */
function applyJournal(
  draft: Draft,
  writable: boolean,
  detail: string,
  unsent: readonly string[],
): void {
  rejectUnsent(draft, unsent);
  if (writable) unkill(draft, "journal", "aggwatch", detail);
  else kill(draft, "journal", "aggwatch", detail);
  const known = draft.state.tables.kill.get("journal");
  // What is to be mended is the newest cause.
  if (known !== undefined && known.reason !== detail)
    put(draft, "kill", "journal", { ...known, reason: detail });
}

/** After a restart, the gap is counted from the journal's last instant. */
function rememberInstant(draft: Draft): void {
  put(draft, "counter", "at", draft.at);
}
