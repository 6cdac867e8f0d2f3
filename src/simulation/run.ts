import { restore } from "../core/start.ts";
import { SECOND, type Millis } from "../domain/time.ts";
import { createVirtualTime, type VirtualTime } from "./machine/virtual-time.ts";
import { createInspector } from "./checkers/index.ts";
import { createDetection } from "./detection.ts";
import { carryOut } from "./machine/happen.ts";
import { endFaults } from "./machine/end-faults.ts";
import type { Outcome, RunOptions, Told, Violation } from "./outcome.ts";
import type { Plan } from "./plan.ts";
import { createTally } from "./tally.ts";
import { tellSeen } from "./story.ts";
import { createTrace } from "./trace.ts";
import type { AggregatorTruth, RunEvent } from "./run-event.ts";
import { createWorld, type SimulatedWorld } from "./machine/world.ts";

/** Most that are kept of one run: the first is what matters. */
const MOST_VIOLATIONS = 20;
/** How often it is looked whether the run may end. */
const PIECE: Millis = 10 * SECOND;

/** Runs a plan to its end. The thread's timers and `Date` are virtual meanwhile. */
export async function runPlan(plan: Plan, options: RunOptions): Promise<Outcome> {
  const time = createVirtualTime(plan.startsAt);
  const putBack = time.install();
  try {
    const book = createBook(time, options);
    const { witness, tell } = book;
    const world = createWorld(plan, options, { time, witness, tell });
    const detection = createDetection();
    await follow(world, witness, () => {
      detection.look(time.now(), truthsOf(world), world.life?.daemon.loop.state());
      return options.endsAtViolation === true && book.isViolated();
    });
    return { seed: plan.seed, worstDetection: detection.worst(), ...book.close() };
  } finally {
    putBack();
  }
}

function truthsOf({ models }: SimulatedWorld): AggregatorTruth[] {
  return [...models.values()].map((model) => model.truth());
}

/** Lets everything happen that is planned, and then the calm in which all must come right. */
async function follow(
  world: SimulatedWorld,
  witness: (seen: RunEvent) => void,
  look: () => boolean,
): Promise<void> {
  const { plan, time } = world;
  const { startsAt, faultsEndAfter, endsAfter } = plan;
  for (const what of plan.happenings)
    time.at(startsAt + what.at, () => {
      if (!world.faultsAreOver) carryOut(world, what);
    });
  time.at(startsAt + faultsEndAfter, () => {
    endFaults(world);
    witness({ type: "faults_ended", at: time.now() });
  });
  world.start();
  const endsAt = startsAt + endsAfter;
  for (let next = startsAt + PIECE; ; next += PIECE) {
    await time.runUntil(Math.min(next, endsAt));
    if (look()) return;
    if (next >= endsAt) break;
  }
  if (world.life === undefined) return;
  const { loop } = world.life.daemon;
  const truth = truthsOf(world);
  const end = { at: time.now(), policy: loop.policy() };
  witness({ type: "ended", ...end, state: loop.state(), truth });
  // What the next process would find.
  const file = world.disk.open();
  if (file.ok) witness({ type: "restarted", ...end, state: restore(file.value.rows()) });
}

/** Writes down what is seen, and has it checked. */
function createBook(time: VirtualTime, options: RunOptions) {
  const startsAt = time.now();
  const trace = createTrace();
  const tally = createTally();
  const inspect = createInspector();
  const violations: Violation[] = [];
  const story: Told[] = [];
  let steps = 0;
  const since = (): Millis => time.now() - startsAt;
  const note = (text: string): void => {
    if (options.withStory === true) story.push({ at: since(), text });
  };
  const check = (seen: RunEvent): void => {
    for (const { invariant, text } of inspect(seen)) {
      note(`VIOLATED ${invariant}: ${text}`);
      if (violations.length < MOST_VIOLATIONS) violations.push({ at: since(), invariant, text });
    }
  };
  return {
    witness: (seen: RunEvent): void => {
      if (seen.type === "step") steps += 1;
      trace.add(seen);
      tally.add(seen);
      if (options.withStory === true) for (const text of tellSeen(seen)) note(text);
      check(seen);
    },
    tell: (text: string): void => {
      trace.note(time.now(), text);
      note(text);
    },
    isViolated: () => violations.length > 0,
    close: () => ({
      hash: trace.hash(),
      steps,
      simulatedMs: since(),
      violations,
      tally: tally.done(),
      story,
    }),
  };
}
