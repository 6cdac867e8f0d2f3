import type { CoreMutant } from "./mutant.ts";

const SETTLE = "src/core/act/settle.ts";
const LIFE = "src/core/judge/alert-life.ts";

/** Mistakes in what is concluded of readings, and in the lives of alerts and remediations. */
export const lifeMutants: readonly CoreMutant[] = [
  {
    name: "pre-read-skipped",
    file: "src/core/act/act.ts",
    find: "if (objection === undefined) askForConfirmation(draft, wanting);",
    replace: "if (objection === undefined) request(draft, wanting, draft.at);",
    means: "Nothing is read right before an action.",
  },
  {
    name: "pre-read-of-before",
    file: "src/core/act/act.ts",
    find: "if (part === undefined || part.askedAt < confirming.requestedAt) continue;",
    replace: "if (part === undefined) continue;",
    means: "A reading that was requested before the action was wanted confirms it.",
  },
  {
    name: "guards-not-asked-again",
    file: "src/core/act/act.ts",
    find: "if (objection === undefined) request(draft, wanting, part.askedAt);",
    replace: "if (part.reading.ok) request(draft, wanting, part.askedAt);",
    means: "Changes during the reading before an action are ignored.",
  },
  {
    name: "confirmation-waits-for-ever",
    file: "src/core/act/act.ts",
    find: "if (!isOverdue(draft, confirming)) continue;",
    replace: "if (!isOverdue(draft, confirming) || draft.at >= confirming.requestedAt) continue;",
    means: "An action waits forever for a confirmation that does not come.",
  },
  {
    name: "confirmation-comes-late",
    file: "src/core/act/act.ts",
    find: "    if (isOverdue(draft, confirming)) {",
    replace: "    if (isOverdue(draft, { requestedAt: draft.at })) {",
    means: "A reading that comes after confirm_within confirms an action.",
    survives:
      "200 seeds have no stall that ends between a late reading and the tick after it, on data still young enough. The core's own tests hold it.",
  },
  {
    name: "in-doubt-sent-again",
    file: SETTLE,
    find: 'moveTo(draft, remediation, "in_doubt", "the process ended before the answer was recorded");',
    replace: `moveTo(draft, remediation, "in_doubt", "the process ended before the answer was recorded");
      const { id, action, call, entity } = remediation;
      draft.effects.push({ type: "act", remediation: id, aggregator: entity.aggregator, action, call, askedAt: draft.at });`,
    means: "An action that may have been sent before a crash is sent again.",
  },
  {
    name: "not-in-doubt-after-crash",
    file: SETTLE,
    find: 'if (remediation.state === "requested") {\n      moveTo',
    replace: "if (remediation.requestedAt > draft.at) {\n      moveTo",
    means: "An action that a crash left unanswered is not in doubt.",
  },
  {
    name: "verified-by-200",
    file: SETTLE,
    find: "  moveTo(draft, remediation, reply.outcome, reply.detail);\n",
    replace: `  if (reply.outcome === "acknowledged") {
    settle(draft, remediation, "verified", reply.detail);
    return;
  }
  moveTo(draft, remediation, reply.outcome, reply.detail);
`,
    means: "A success status is taken for a repair.",
  },
  {
    name: "verified-by-older-reading",
    file: SETTLE,
    find: "if (part.askedAt <= since || !isSure) {",
    replace: "if (since < 0 || !isSure) {",
    means: "A reading that was requested before the action verifies it.",
  },
  {
    name: "verified-by-any-reading",
    file: SETTLE,
    find: 'if (aim !== "reached") continue;',
    replace: "if (aim === undefined) continue;",
    means: "Any reading after an action verifies it, whatever it shows.",
  },
  {
    name: "verified-by-cut-listing",
    file: SETTLE,
    find: "if (entity === undefined && !(part.reading.complete && isAllKnown(draft, remediation)))\n      continue;",
    replace: "",
    means: "A pair that is absent from a cut listing counts as enabled.",
    survives:
      "A pair that a cut listing lacks becomes unknown, not gone, so that this line is never reached with one: the line before has passed over it.",
  },
  {
    name: "deadline-ignored",
    file: SETTLE,
    find: "if (draft.at >= remediation.settleBy) {",
    replace: "if (draft.at >= remediation.settleBy * 2) {",
    means: "A remediation without an outcome stays open.",
  },
  {
    name: "settled-twice",
    file: SETTLE,
    find: "if (isSettled(remediation)) return takeBackIfUnsent(draft, remediation, reply);\n",
    replace: "",
    means: "A late answer reopens a settled remediation.",
  },
  {
    name: "exhaustion-not-told",
    file: "src/core/act/exhaustion.ts",
    find: "alert.attempts >= act.attempts;",
    replace: "alert.attempts < 0;",
    means: "No notification says that the attempts are used up.",
  },
  {
    name: "unwatched-lives-on",
    file: "src/core/change/reload.ts",
    find: "  toEnd(endUnplanned(draft, affected));\n",
    replace: "  void endUnplanned;\n",
    means: "An entry that leaves a watch list is known until the next poll.",
  },
  {
    name: "exhaustion-told-at-the-end-alone",
    file: "src/core/act/act.ts",
    find: "    if (wanting.alert.attempts > 0) noteExhaustion(draft, wanting.alert.entity);\n",
    replace: "",
    means: "No notification says that a reload has used up the attempts.",
  },
  {
    name: "unsent-not-rejected",
    file: "src/core/step.ts",
    find: "  rejectUnsent(draft, unsent);\n",
    replace: "  void rejectUnsent;\n  void unsent;\n",
    means:
      "An action that could not be committed, and was not sent, stays open as if it had been sent.",
    survives:
      "It is settled as unverified at its deadline; until then the entity is left alone, which is careful enough. The core's own tests hold it.",
  },
  {
    name: "journal-failure-does-not-stop",
    file: "src/core/step.ts",
    find: 'else kill(draft, "journal", "aggwatch", detail);',
    replace: "else void kill;",
    means: "It goes on acting while the journal cannot be written.",
  },
  {
    name: "instant-not-written",
    file: "src/core/step.ts",
    find: "if (draft.touched.size > 0) rememberInstant(draft);",
    replace: "void rememberInstant;",
    means: "A new process does not know when the one before has ended.",
  },
  {
    name: "unknown-resolves",
    file: LIFE,
    find: 'if (truth === "unknown") {',
    replace: 'if (truth === "unknown" && alert.state === "pending") {',
    means: "Unknown is taken for well.",
  },
  {
    name: "unknown-counts-towards-for",
    file: LIFE,
    find: 'if (alert.state === "pending") alert.activeAt += gap;',
    replace: "",
    means: "Time in unknown counts towards for.",
  },
  {
    name: "unknown-counts-towards-keep-firing",
    file: LIFE,
    find: "if (alert.keepFiringSince !== undefined) alert.keepFiringSince += gap;",
    replace: "",
    means: "Time in unknown counts towards keep_firing_for.",
  },
  {
    name: "fires-too-early",
    file: LIFE,
    find: 'if (alert.state !== "pending" || at - alert.activeAt < timing.forMs) return undefined;',
    replace:
      'if (alert.state !== "pending" || at - alert.activeAt < timing.forMs / 2) return undefined;',
    means: "An alert fires after half of for.",
  },
  {
    name: "fires-too-late",
    file: "src/core/judge/alert-timers.ts",
    find: 'if (alert.state === "pending") return alert.activeAt + rule.forMs;',
    replace: 'if (alert.state === "pending") return alert.activeAt + rule.forMs * 2;',
    means: "An alert that is due waits for the next reading.",
  },
  {
    name: "failed-poll-changes-nothing",
    file: "src/core/observe/observe.ts",
    find: "yield* eachInSlices(keys, (one) => becomeUnknown(draft, one, affected));",
    replace: "",
    means: "A failed poll leaves its entities as well known as before.",
  },
  {
    name: "partial-poll-spoils-all",
    file: "src/core/observe/observe.ts",
    find: "yield* eachInSlices(keys, (one) => becomeUnknown(draft, one, affected));",
    replace:
      "for (const entity of draft.state.tables.entity.keys()) becomeUnknown(draft, entity, affected);",
    means: "One surface that fails makes everything unknown.",
  },
  {
    name: "cut-listing-is-whole",
    file: "src/core/observe/observe.ts",
    find: "isWhole(surface, entity.kind) && !mayBeListedElsewhere(",
    replace: "!mayBeListedElsewhere(",
    means: "Entities that a cut listing lacks are concluded to be gone.",
  },
  {
    name: "empty-listing-believed",
    file: "src/core/observe/doubt.ts",
    find: "const isDoubtful = known >= MANY ? lost > known / 2 : known > 1 && lost === known;",
    replace: "const isDoubtful = known < 0 && lost > MANY;",
    means: "A listing that is suddenly empty is believed at once.",
  },
  {
    name: "doubt-shared-by-kinds",
    file: "src/core/observe/doubt.ts",
    find: "return complete && !losses.has(kind);",
    replace: "return complete && losses.size === 0 && kind !== undefined;",
    means: "A doubt about one kind is held against every kind of its listing.",
    survives:
      "It delays repairs for as long as a listing goes on changing, and in the calm none does. Tests of observe hold it.",
  },
  {
    name: "older-reading-taken",
    file: "src/core/observe/observe.ts",
    find: "if (surface.askedAt !== undefined && askedAt < surface.askedAt) continue;",
    replace: "",
    means: "A late reading overwrites a newer one.",
  },
  {
    name: "staleness-not-noticed",
    file: "src/core/step.ts",
    find: "  yield* noticeStalePollers(draft, affected);\n",
    replace: "  void noticeStalePollers;\n",
    means: "A poller that is silent is not noticed.",
  },
  {
    name: "first-seen-reset-at-start",
    file: "src/core/start.ts",
    find: "    indexEntity(state, key, entity);\n",
    replace:
      "    Object.assign(entity, { firstSeen: state.at });\n    indexEntity(state, key, entity);\n",
    means: "A restart makes every entity new.",
  },
  {
    name: "unread-surface-lost",
    file: "src/core/observe/unread.ts",
    find: "if (unread !== undefined) setUnknown(state, entity, entity.unknownSince ?? unread.since);",
    replace: "void unread;",
    means:
      "After two starts, entities that were not read in between are unknown only since the second.",
  },
  {
    name: "unread-entity-not-written",
    file: "src/core/observe/unread.ts",
    find: 'yield* eachInSlices(keysOf(draft, surface), (key) => touch(draft, "entity", key));',
    replace: "yield* [];",
    means:
      "Entities that the first reading after a start does not show are known to the next process.",
    survives:
      "What a process knew when it died is compared with nothing, and the next one knows what the rows say. A property of the core's own tests holds it.",
  },
  {
    name: "reload-drops-alerts",
    file: "src/core/judge/judge.ts",
    find: "rule.kind !== kind || !judges(rule, aggregator);",
    replace: 'rule.kind !== kind || !judges(rule, aggregator) || alert.state === "pending";',
    means: "A reload drops the alerts that wait.",
  },
  {
    name: "removed-rule-fires-on",
    file: "src/core/judge/judge.ts",
    find: 'if (isOrphan && alert.state !== "resolved") endForRemovedRule(draft, alert);',
    replace: 'if (isOrphan && alert.state === "pending") endForRemovedRule(draft, alert);',
    means: "An alert of a rule that was removed fires on.",
  },
  {
    name: "gone-fires-on",
    file: "src/core/judge/judge.ts",
    find: 'move(draft, alert, rule, "ok", because, text',
    replace: 'move(draft, alert, rule, "unknown", because, text',
    means: "The alert of an entity that is gone fires on.",
  },
  {
    name: "change-not-reported",
    file: "src/core/act/settle.ts",
    find: 'attempt.failures + 1;\n    touch(draft, "attempt", key);\n',
    replace: "attempt.failures + 1;\n",
    means: "A row is changed in memory, and not on disk.",
  },
];
