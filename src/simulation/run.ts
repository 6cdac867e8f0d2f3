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
import type { AggregatorTruth, RunEvent } from "./run-event.ts";
import { createWorld } from "./machine/simulated-world.ts";
import type { SimulatedWorld } from "./machine/world.ts";

/** Most that are kept of one run: the first is what matters. */
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
    world.disk.close();
    return { seed: plan.seed, worstDetection: detection.worst(), ...book.close() };
  } finally {
    putBack();
  }
}

function truthsOf({ aggregators }: SimulatedWorld): AggregatorTruth[] {
  return [...aggregators.values()].map((model) => model.truth());
}

/** Applies every scheduled event, and then lets the calm pass in which all must come right. */
async function follow(
  world: SimulatedWorld,
  observe: (seen: RunEvent) => void,
  isOver: () => boolean,
): Promise<void> {
  const { plan, time } = world;
  const { startsAt, faultsEndAfter, endsAfter } = plan;
  for (const what of plan.events)
    time.at(startsAt + what.at, () => {
      // One that a pause has put off until the calm is left out, as it would take from that.
      if (!world.faultsAreOver && time.now() < startsAt + faultsEndAfter) applyEvent(world, what);
    });
  time.at(startsAt + faultsEndAfter, () => {
    const isOverIn = endFaults(world);
    const end = (): void => observe({ type: "faults_ended", at: time.now() });
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
  // What is decided is on its way to the database of replicas.
  for (let waited = 0; waited < 1_000 && world.life?.isQuiet?.() === false; waited += 1)
    await time.runUntil(time.now() + 1);
  if (world.life === undefined) return;
  const { loop } = world.life.daemon;
  const truth = truthsOf(world);
  const end = { at: time.now(), policy: loop.policy() };
  observe({ type: "ended", ...end, state: world.life.shown?.() ?? loop.state(), truth });
  // What the next process would find.
  const file = world.disk.open();
  if (file.ok) observe({ type: "restarted", ...end, state: restore(file.value.rows()) });
}

/** Writes down what is seen, and has it checked. */
function createBook(time: VirtualTime, options: RunOptions) {
  const startsAt = time.now();
  const trace = createTrace();
  const tally = createTally();
  const inspect = createInspector();
  const violations: Violation[] = [];
  const narration: NarratedEvent[] = [];
  const moments = options.withNarration === true ? createMoments() : undefined;
  let steps = 0;
  const since = (): Millis => time.now() - startsAt;
  const note = (text: string): void => {
    if (options.withNarration === true) narration.push({ at: since(), text });
  };
  const check = (seen: RunEvent): void => {
    for (const { invariant, text } of inspect(seen)) {
      moments?.note("violation", `${invariant}: ${text}`, since());
      note(`VIOLATED ${invariant}: ${text}`);
      if (violations.length < MOST_VIOLATIONS) violations.push({ at: since(), invariant, text });
    }
  };
  return {
    observe: (seen: RunEvent): void => {
      if (seen.type === "step") steps += 1;
      trace.add(seen);
      tally.add(seen);
      moments?.add(seen, since());
      if (options.withNarration === true) for (const text of narrate(seen)) note(text);
      check(seen);
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
