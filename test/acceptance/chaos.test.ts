import { expect, it } from "vitest";
import { runChaos } from "../chaos/chaos-loop.ts";

/** `npm run test:chaos` does all of them, many times. */
const SOME = [
  "SIGKILL while it acts: the request has arrived",
  "SIGSTOP beyond the lease while it acts",
  "partition from the database while it acts",
  "connections cut while it acts",
  "database restarted",
  "SIGTERM",
];

it("two replicas under fire send nothing twice, lose nothing, and keep to their budgets", async () => {
  const figures = await runChaos({ faults: SOME.length, seed: 5, leaseMs: 3_000, only: SOME });
  const { duplicates, lost, untold, outsideBudget, broken } = figures;
  expect({ duplicates, lost, untold, outsideBudget, broken }).toEqual({
    duplicates: [],
    lost: [],
    untold: [],
    outsideBudget: [],
    broken: [],
  });
  expect(figures.actionsSent).toBeGreaterThan(0);
  expect(Object.keys(figures.takeOverMs)).toHaveLength(4);
});
