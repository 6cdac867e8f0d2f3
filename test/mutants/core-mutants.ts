import { guardMutants } from "./guard-mutants.ts";
import { ioMutants } from "./io-mutants.ts";
import { lifeMutants } from "./life-mutants.ts";
import type { CoreMutant } from "./mutant.ts";
import { replicaMutants } from "./replica-mutants.ts";
import { unitMutants } from "./unit-mutants.ts";
import { deliveryMutants } from "./delivery-mutants.ts";

/** Deliberate bugs of the core, the loop and the wire. The simulation is to find every one. */
export const coreMutants: readonly CoreMutant[] = [
  ...guardMutants,
  ...lifeMutants,
  ...ioMutants,
  ...deliveryMutants,
  ...replicaMutants,
  ...unitMutants,
];
