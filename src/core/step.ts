import type { Command, Event, KillSource, Policy, StepResult } from "../domain/step.ts";
import type { Instant } from "../domain/time.ts";
import { considerActing, confirmBy, expireConfirmations } from "./act.ts";
import { finish, newDraft, touch, type Draft } from "./draft.ts";
import { judgeByTime, judgeNoticed, takeOverAlerts } from "./judge.ts";
import { newNoticed, observe } from "./observe.ts";
import { expectPollers, notePoll, noticeStalePollers } from "./poller-health.ts";
import { adoptPolicy } from "./reload.ts";
import { decide, endProposals } from "./propose.ts";
import { settleByReading, settleByTime } from "./settle.ts";
import { doubtUnanswered, forgetOldRemediations, rejectUnsent, takeReply } from "./settle.ts";
import { forgetUnwatched, standStill } from "./start.ts";
import type { State } from "./state.ts";

/**
 * The one function that decides everything. Synchronous and deterministic: the same policy, state,
 * event and instant give the same result. It changes `state`, and reports every durable row that it
 * changed; the caller commits those before it carries out any effect.
 *
 * `at` must not be earlier than that of the step before.
 */
export function step(policy: Policy, state: State, event: Event, at: Instant): StepResult {
  if (at < state.at) throw new Error(`time went back from ${state.at} to ${at}`);
  state.at = at;
  const draft = newDraft(policy, state, at);
  take(draft, event);
  endProposals(draft);
  // An observation lets none but its own entities' alerts act; the others have their turn at a tick.
  considerActing(draft, event.type === "observed" ? "judged" : "all");
  if (draft.touched.size > 0) rememberInstant(draft);
  return finish(draft);
}

function take(draft: Draft, event: Event): void {
  switch (event.type) {
    case "started":
      return start(draft);
    case "observed": {
      const noticed = observe(draft, event.observation);
      notePoll(draft, event.observation, noticed);
      judgeNoticed(draft, noticed);
      settleByReading(draft, event.observation);
      return confirmBy(draft, event.observation);
    }
    case "acted":
      return takeReply(draft, event.remediation, event.reply);
    case "tick":
      return passTime(draft);
    case "command":
      return obey(draft, event.command, event.by, event.reason);
    case "policy_changed":
      return adoptPolicy(draft, event.rulesBefore, event.moved);
    case "journal":
      return noteJournal(draft, event.writable, event.detail, event.unsent);
  }
}

function start(draft: Draft): void {
  draft.state.startedAt = draft.at;
  standStill(draft);
  const noticed = newNoticed();
  forgetUnwatched(draft, noticed);
  expectPollers(draft, noticed, "all");
  takeOverAlerts(draft);
  judgeNoticed(draft, noticed);
  doubtUnanswered(draft);
  for (const source of ["journal", "bug"] as const) {
    if (draft.state.tables.kill.has(source)) unkill(draft, source, "the process started anew");
  }
}

function passTime(draft: Draft): void {
  const noticed = newNoticed();
  noticeStalePollers(draft, noticed);
  judgeNoticed(draft, noticed);
  judgeByTime(draft);
  settleByTime(draft);
  expireConfirmations(draft);
  forgetOldRemediations(draft);
}

function obey(draft: Draft, command: Command, by: string, reason: string): void {
  const report = (accepted: boolean, detail: string): void => {
    draft.findings.push({ type: "command", by, name: command.name, accepted, detail });
  };
  switch (command.name) {
    case "kill":
      kill(draft, command.source, by, reason);
      return report(true, reason);
    case "unkill":
      unkill(draft, command.source, reason);
      return report(true, reason);
    case "approve":
    case "deny": {
      const done = decide(draft, command.proposal, command.name === "approve", by, reason);
      return report(done !== undefined, done ?? `no proposal ${command.proposal} stands`);
    }
  }
}

/** Without a journal nothing can be recorded before it is sent, so nothing is sent. */
function noteJournal(
  draft: Draft,
  writable: boolean,
  detail: string,
  unsent: readonly string[],
): void {
  rejectUnsent(draft, unsent);
  if (writable) unkill(draft, "journal", detail);
  else kill(draft, "journal", "aggwatch", detail);
}

function kill(draft: Draft, source: KillSource, by: string, reason: string): void {
  if (draft.state.tables.kill.has(source)) return;
  draft.state.tables.kill.set(source, { source, since: draft.at, by, reason });
  touch(draft, "kill", source);
  draft.findings.push({ type: "kill", source, on: true, detail: reason });
}

function unkill(draft: Draft, source: KillSource, reason: string): void {
  if (!draft.state.tables.kill.delete(source)) return;
  touch(draft, "kill", source);
  draft.findings.push({ type: "kill", source, on: false, detail: reason });
}

/** The journal's last instant tells, after a restart, how long nobody watched. */
function rememberInstant(draft: Draft): void {
  draft.state.tables.counter.set("at", draft.at);
  touch(draft, "counter", "at");
}
