import type { SeenEntity } from "../src/domain/entity.ts";
import type { Event, Policy } from "../src/domain/step.ts";
import { compare, heapBytes, type Compared, type Rounds } from "./measure.ts";
import { entitiesOf, pollsOf, populate, START, type Population } from "./population.ts";
import { watchWithLoop, type Loop } from "./step-baseline.ts";
import { grouped, significant, timesOf, type Row } from "./table.ts";
import { shippedPolicy, watch, type Watched } from "./watched.ts";

/** The real `step` with the shipped rules, beside a plain loop over the same entities. */
export async function benchStep(sizes: readonly number[], rounds: Rounds): Promise<Row[]> {
  const policy = shippedPolicy();
  const rows: Row[] = [];
  // What is made once, when code first runs, is not the entities'.
  heapRow(policy, 100);
  for (const size of sizes) {
    rows.push(heapRow(policy, size));
    rows.push(...(await benchCase(policy, rounds, { size, badShare: 0.01 })));
    rows.push(...(await benchCase(policy, rounds, { size, badShare: 0.1 })));
  }
  return rows;
}

type Case = { readonly size: number; readonly badShare: number };

async function benchCase(policy: Policy, rounds: Rounds, shape: Case): Promise<Row[]> {
  const population = populate(shape);
  const again = populate(shape);
  const other = populate({ ...shape, changed: true });
  const watched = watch(policy, population);
  const loop = watchWithLoop(entitiesOf(population), START);
  if (watched.state.tables.alert.size !== loop.bad()) {
    throw new Error(`${watched.state.tables.alert.size} alerts, and ${loop.bad()} in the baseline`);
  }
  const row = (what: string, events: number, compared: Compared, note = ""): Row => ({
    name: `step: ${what}, ${shape.badShare * 100} % bad`,
    size: shape.size,
    ...timesOf(compared),
    note: `${significant((events * 1_000) / compared.oursMs)} events/s${note}`,
  });
  const perEntity = ({ oursMs }: Compared): string =>
    `, ${significant((oursMs * 1_000) / shape.size)} µs an entity`;
  const unchanged = await polls(rounds, watched, loop, [population, again]);
  const changed = await polls(rounds, watched, loop, [other, population]);
  const tick = await compare(rounds, {
    turns: turnsFor(shape.size),
    ours: () => watched.take([{ type: "tick" }]),
    baseline: () => loop.tick(watched.now()),
  });
  return [
    row("unchanged poll", 3, unchanged, perEntity(unchanged)),
    row("poll with 1 % changed", 3, changed, perEntity(changed)),
    row("tick", 1, tick),
  ];
}

/** Small populations take more turns, as a short turn is disturbed by more. */
function turnsFor(size: number): number {
  return Math.max(2, Math.min(20, Math.round(20_000 / size)));
}

/** Polls of one population and the other by turns. */
function polls(
  rounds: Rounds,
  watched: Watched,
  loop: Loop,
  [first, second]: readonly [Population, Population],
): Promise<Compared> {
  const listed = new Map([first, second].map((one) => [one, entitiesOf(one)]));
  let [current, next] = [second, first];
  let events: Event[] = [];
  let entities: readonly SeenEntity[] = [];
  return compare(rounds, {
    turns: turnsFor(first.size),
    prepare: () => {
      [current, next] = [next, current];
      events = pollsOf(current, watched.now());
      entities = listed.get(current) ?? [];
    },
    ours: () => watched.take(events),
    baseline: () => loop.poll(entities, watched.now()),
  });
}

/** What is kept of each entity, with its facts, after the listing itself is gone. */
function heapRow(policy: Policy, size: number): Row {
  const shape = { size, badShare: 0.01 };
  const [ours, kept] = heapOf(() => watch(policy, populate(shape)));
  const [baseline, loop] = heapOf(() => watchWithLoop(entitiesOf(populate(shape)), START));
  if (kept.state.tables.entity.size < size || loop.size() !== size) throw new Error("not all kept");
  return {
    name: "step: heap an entity",
    size,
    ours: `${grouped(ours / size)} B`,
    baseline: `${grouped(baseline / size)} B`,
    ratio: ours / baseline,
    note: "facts included, 1 % bad",
  };
}

function heapOf<Value>(make: () => Value): readonly [number, Value] {
  const before = heapBytes();
  const value = make();
  return [heapBytes() - before, value];
}
