import { pollers } from "./index.ts";
import { NOTHING_WATCHED } from "./poller.ts";

const SENDER = { ...NOTHING_WATCHED, senders: [{ address: "0x1" }] };

/** The names of the pollers whose surfaces are the watched senders. */
export const SENDER_POLLERS: ReadonlySet<string> = new Set(
  pollers.flatMap(({ name, plan }) =>
    plan(SENDER).length > plan(NOTHING_WATCHED).length ? [name] : [],
  ),
);
