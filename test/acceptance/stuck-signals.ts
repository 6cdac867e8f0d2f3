import { join } from "node:path";
import { pathToFileURL } from "node:url";

const HOOK = pathToFileURL(join(import.meta.dirname, "stuck-hook.mjs")).href;

/** The environment of a daemon that can be made stuck by signals. */
export const STUCK_HOOK = { NODE_OPTIONS: `--import ${HOOK}` };

/** What each signal does to it: see the hook. */
export const MAKES = {
  eventLoopBlocked: "SIGUSR2",
  ticksStop: "SIGURG",
  schedulesStop: "SIGVTALRM",
  wallClockLeap: "SIGALRM",
  wallClockHurry: "SIGIO",
} as const;
