import { refuse, type Answer } from "./answer.ts";
import type { SimulatorRequest } from "./request.ts";
import type { Route } from "./routes.ts";

/** The key that a forced cancellation needs, and the toggles too if `toggles` is set. */
export type ActKey = {
  /** The header's name, in any case. */
  readonly header: string;
  readonly value: string;
  readonly toggles?: boolean;
};

/** Made up and public: it guards nothing but the simulator. */
export const DEFAULT_ACT_KEY: ActKey = { header: "X-API-KEY", value: "simulator-key" };

/** Refuses a request that lacks the key: 401 without one, 403 with a wrong one. */
export function checkAuthority(
  key: ActKey,
  route: Route,
  request: SimulatorRequest,
): Answer | undefined {
  const needed = route.writes === "force" || (route.writes === "toggle" && key.toggles === true);
  if (!needed) return undefined;
  const given = request.headers[key.header.toLowerCase()];
  if (given === undefined || given === "")
    return refuse(401, "unauthorized", `This needs a key in the header ${key.header}.`);
  return given === key.value
    ? undefined
    : refuse(403, "forbidden", `The key in the header ${key.header} is not a valid one.`);
}
