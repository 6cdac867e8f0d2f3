import { HOME, sendersUnits } from "../domain/lease.ts";
import { restore } from "../core/start.ts";
import { SECOND, type Millis } from "../domain/time.ts";
import { createVirtualTime, type VirtualTime } from "./machine/virtual-time.ts";
import { createInspector } from "./checkers/index.ts";
import { createDetection } from "./detection.ts";
import { applyEvent } from "./machine/apply-event.ts";
import { endFaults } from "./machine/end-faults.ts";
import type { Outcome, RunOptions, NarratedEvent, Violation } from "./outcome.ts";
import type { Plan } from "./plan.ts";
import { createTally } from "./tally.ts";
import { createMoments } from "./moments.ts";
import { narrate } from "./narration.ts";
import { createTrace } from "./trace.ts";
import type { AggregatorTruth, Ended, RunEvent } from "./run-event.ts";
import { createWorld } from "./machine/simulated-world.ts";
import type { Observers, SimulatedWorld } from "./machine/world.ts";

/** The most violations that are kept of one run: the first one matters. */
const MOST_VIOLATIONS = 20;
/** How often the run is checked for its end. */
const PIECE: Millis = 10 * SECOND;

/** Runs a plan to its end. The thread's timers and `Date` are virtual meanwhile. */
export async function runPlan(plan: Plan, options: RunOptions): Promise<Outcome> {
  const time = createVirtualTime(plan.startsAt);
  const putBack = time.install();
  try {
    const book = createBook(time, options);
    const { observe, note } = book;
    const world = createWorld(plan, options, { time, observe, note });
    const detection = createDetection();
    await follow(world, observe, () => {
      detection.compare(time.now(), truthsOf(world), world.life?.daemon.loop.state());
      return options.endsAtViolation === true && book.isViolated();
    });
    world.closeDisks();
    return { seed: plan.seed, worstDetection: detection.worst(), ...book.close() };
  } finally {
    putBack();
  }
}

function unitsOf({ shards = 0 }: Plan): string[] {
  return [HOME, ...sendersUnits(shards)];
}

function truthsOf({ aggregators }: SimulatedWorld): AggregatorTruth[] {
  return [...aggregators.values()].map((model) => model.truth());
}

/** Applies every scheduled event, then lets the calm pass, in which everything must come right. */
async function follow(
  world: SimulatedWorld,
  observe: Observers["observe"],
  isOver: () => boolean,
): Promise<void> {
  const { plan, time } = world;
  const { startsAt, faultsEndAfter, endsAfter } = plan;
  for (const what of plan.events)
    time.at(startsAt + what.at, () => {
      // An event that a pause has delayed into the calm is left out, as it would shorten the calm.
      if (!world.faultsAreOver && time.now() < startsAt + faultsEndAfter) applyEvent(world, what);
    });
  time.at(startsAt + faultsEndAfter, () => {
    const isOverIn = endFaults(world);
    const end = (): void => {
      for (const unit of unitsOf(plan)) observe({ type: "faults_ended", at: time.now() }, unit);
    };
    if (isOverIn === 0) end();
    else time.at(time.now() + isOverIn, end);
  });
  world.start();
  const endsAt = startsAt + endsAfter;
  for (let next = startsAt + PIECE; ; next += PIECE) {
    await time.runUntil(Math.min(next, endsAt));
    if (isOver()) return;
    if (next >= endsAt) break;
  }
  // Decided steps may still be on their way to the replicas' database.
  for (let waited = 0; waited < 1_000 && world.replicas?.isQuiet() === false; waited += 1)
    await time.runUntil(time.now() + 1);
  if (world.life === undefined) return;
  const { loop } = world.life.daemon;
  const state = world.life.shown?.() ?? loop.state();
  const truth = truthsOf(world);
  seeEnd(world, observe, HOME, {
    type: "ended",
    at: time.now(),
    policy: loop.policy(),
    state,
    truth,
  });
  for (const end of world.replicas?.ends() ?? []) seeEnd(world, observe, ...end);
}

function seeEnd(
  { diskOf }: SimulatedWorld,
  observe: Observers["observe"],
  unit: string,
  ended: Ended,
): void {
  const { at, policy } = ended;
  observe(ended, unit);
  // The rows that the next process would find.
  const file = diskOf(unit).open();
  if (file.ok) observe({ type: "restarted", at, policy, state: restore(file.value.rows()) }, unit);
}

/** Records what the run shows, and has it checked. */
function createBook(time: VirtualTime, options: RunOptions) {
  const startsAt = time.now();
  const trace = createTrace();
  const tally = createTally();
  const inspectors = new Map<string, ReturnType<typeof createInspector>>();
  /** Each unit is a daemon of its own, so its inspector knows nothing of the others. */
  const inspectorOf = (unit: string): ReturnType<typeof createInspector> => {
    const inspect = inspectors.get(unit) ?? createInspector();
    inspectors.set(unit, inspect);
    return inspect;
  };
  const violations: Violation[] = [];
  const narration: NarratedEvent[] = [];
  const moments = options.withNarration === true ? createMoments() : undefined;
  let steps = 0;
  const since = (): Millis => time.now() - startsAt;
  const note = (text: string): void => {
    if (options.withNarration === true) narration.push({ at: since(), text });
  };
  const check = (seen: RunEvent, unit: string): void => {
    for (const { invariant, text: found } of inspectorOf(unit)(seen)) {
      const text = unit === HOME ? found : `${unit}: ${found}`;
      moments?.note("violation", `${invariant}: ${text}`, since());
      note(`VIOLATED ${invariant}: ${text}`);
      if (violations.length < MOST_VIOLATIONS) violations.push({ at: since(), invariant, text });
    }
  };
  return {
    observe: (seen: RunEvent, unit: string = HOME): void => {
      if (seen.type === "step") steps += 1;
      trace.add(seen, unit);
      if (unit === HOME || seen.type !== "crashed") tally.add(seen);
      if (unit === HOME) moments?.add(seen, since());
      const of = unit === HOME ? "" : `${unit}: `;
      if (options.withNarration === true) for (const text of narrate(seen)) note(of + text);
      check(seen, unit);
    },
    note: (text: string): void => {
      trace.note(time.now(), text);
      moments?.note("fault", text, since());
      note(text);
    },
    isViolated: () => violations.length > 0,
    close: () => ({
      hash: trace.hash(),
      steps,
      simulatedMs: since(),
      violations,
      tally: tally.done(),
      narration,
      moments: moments?.all() ?? [],
    }),
  };
}
