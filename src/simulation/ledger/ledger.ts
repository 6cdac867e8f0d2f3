import type { Instant } from "../../domain/time.ts";
import { entityKey } from "../../domain/entity.ts";
import type { Remediation } from "../../domain/remediation.ts";
import type { Lost, RunEvent, Step } from "../run-event.ts";
import { Approvals, type Grounds } from "./approvals.ts";
import { stampOf } from "./durable-map.ts";
import { Deliveries } from "./deliveries.ts";
import { ObservedEntities } from "./observed-entities.ts";
import { Overrides } from "./overrides.ts";
import { Polls } from "./polls.ts";
import { Remediations, runKey, type AlertRun } from "./remediations.ts";
import { Repairs } from "./repairs.ts";
import { Requests } from "./requests.ts";
import { Rows } from "./rows.ts";
import { ServedReplies } from "./served-replies.ts";
import { Storms } from "./storms.ts";

/**
 * The shadow ledger: what was observed, decided, commanded, sent and delivered in a run, kept from what
 * goes into the daemon and comes out of it. It shares no decision with the core, and all checkers read it.
 *
 * Each event is recorded before it is checked, and settled after that: `record` takes in what the event
 * says, `settle` what a checker compares with the state before.
 */
export class Ledger {
  readonly observed = new ObservedEntities();
  readonly remediations = new Remediations();
  readonly overrides = new Overrides();
  readonly storms = new Storms();
  readonly approvals = new Approvals();
  readonly repairs = new Repairs();
  readonly requests = new Requests();
  readonly polls = new Polls();
  readonly served = new ServedReplies();
  readonly rows = new Rows();
  readonly deliveries = new Deliveries();
  /** The running process has found its journal to be sound. */
  journalIsSound = false;
  /** Times in which the process could not run. */
  readonly stoodStill: Array<{ readonly from: Instant; readonly to: Instant }> = [];
  /** When a repaired entity was last read to have reached the action's aim, by its key and the action. */
  private readonly reachedAt = new Map<string, Instant>();
  /** When the last fault ended. */
  calmSince: Instant | undefined;
  /** In the calm: since when nothing prevents the repair that an alert wants. */
  readonly freeSince = new Map<string, Instant>();
  private readonly reported = new Set<string>();
  private readonly durable = [
    this.remediations.entries,
    this.overrides.holds,
    this.overrides.kills,
    this.approvals.proposals,
    this.approvals.denials,
    this.repairs.entries,
    this.storms.becameBad.entries,
  ];

  record(event: RunEvent): void {
    this.storms.begin();
    this.observed.record(event);
    this.served.record(event);
    if (event.type === "faults_ended") this.calmSince = event.at;
    if (event.type === "checked") this.journalIsSound = !event.isDamaged;
    if (event.type === "stood_still") this.stoodStill.push({ from: event.from, to: event.at });
    if (event.type === "lost") this.lose(event);
    if (event.type === "restarted") {
      this.journalIsSound = false;
      this.freeSince.clear();
      for (const map of this.durable) map.restore(event.state);
    }
    if (event.type !== "step") return;
    this.storms.record(event, this.observed);
    this.repairs.record(event, this.observed);
    this.remediations.record(event);
    this.overrides.record(event);
    this.approvals.record(event, this.observed);
    this.polls.record(event);
    if (event.event.type === "observed") this.noteReached(event);
  }

  /** Commits were lost: a process that continues from the state that is left knows nothing of what came after. */
  private lose({ state }: Lost): void {
    const since = stampOf(state);
    this.freeSince.clear();
    this.observed.lose();
    for (const map of this.durable) map.lose(state);
    this.overrides.lose(since);
    this.storms.lose(since);
    this.requests.lose(state);
    this.rows.lose(state);
    this.deliveries.lose(state);
  }

  private noteReached({ policy, stampedAt: at }: Step): void {
    for (const { entity: key, action, rule } of this.remediations.before()) {
      if (this.observed.verdicts.of(rule, key)?.lostSince !== undefined) continue;
      const aim = policy.actions.get(action)?.aim(this.observed.entity(key));
      if (aim === "reached") this.reachedAt.set(`${key} ${action}`, at);
    }
  }

  /** Attempts by a rule on an entity since it last reached the action's aim, in all runs of the alert. */
  attemptsSince(rule: string, key: string, action: string): number {
    const since = this.reachedAt.get(`${key} ${action}`) ?? Number.NEGATIVE_INFINITY;
    return this.remediations
      .before()
      .filter((one) => one.rule === rule && one.entity === key && one.requestedAt > since).length;
  }

  settle(event: RunEvent): void {
    this.requests.settle(event, this.polls);
    this.polls.settle(event);
    this.rows.settle(event);
    this.deliveries.settle(event);
    if (event.type !== "step") return;
    for (const effect of event.result.effects) {
      const made = effect.type === "act" && event.state.tables.remediation.get(effect.remediation);
      if (made) this.approvals.use({ run: runKey(made), action: made.action });
    }
    if (event.durable) for (const map of this.durable) map.settle();
  }

  /** The grounds of an action, by the last reading. */
  groundsOf(
    want: AlertRun & Pick<Remediation, "action" | "entity" | "rule">,
    { policy, stampedAt: at }: Pick<Step, "policy" | "stampedAt">,
  ): Grounds {
    const facts = this.observed.entity(entityKey(want.entity))?.facts ?? {};
    const rule = policy.rules.get(want.rule)?.hash;
    return { run: runKey(want), action: want.action, at, facts, rule };
  }

  /** Whether this is the first time that it is reported. */
  reportOnce(what: string): boolean {
    return !this.reported.has(what) && this.reported.add(what).has(what);
  }
}
