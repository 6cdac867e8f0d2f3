import { computed, signal } from "@preact/signals";
import { viewOf } from "../address.ts";
import type { Zone } from "../text/time.ts";
import type { Overview } from "./answers.ts";
import { isLive, listen } from "./events.ts";
import { read } from "./fetch.ts";

/** What all views share: the overview, the time, and whether the daemon still answers. */

const REFRESH_MS = 3_000;
/** As nothing says that time alone has changed the verdict. */
const LONGEST_REST_MS = 15_000;
const TICK_MS = 1_000;

export const overview = signal<Overview | undefined>(undefined);

/** Since when the daemon does not answer, and why; undefined while it does. */
export const lost = signal<{ readonly since: number; readonly why: string } | undefined>(undefined);

/** Grows with each answer of the overview: views that show more read anew then. */
export const revision = signal(0);

/** The daemon's clock, as it went on since its last answer: ages are told by it, not by the browser's. */
export const now = signal(Date.now());

export const view = signal(viewOf(location.hash));

/** Set if the past is shown. */
export const shownAt = computed(() => view.value.filters["at"]);

/** The only thing that is kept when the page is left: a preference. */
const ZONE_KEY = "aggwatch.zone";

export const zone = signal<Zone>(storedZone());

export function chooseZone(chosen: Zone): void {
  zone.value = chosen;
  try {
    localStorage.setItem(ZONE_KEY, chosen);
  } catch {
    // A browser that keeps nothing shows it for as long as the page is open.
  }
}

function storedZone(): Zone {
  try {
    return localStorage.getItem(ZONE_KEY) === "UTC" ? "UTC" : "local";
  } catch {
    return "local";
  }
}

let skewMs = 0;

/** Reads the overview now, as after a call that changed something. */
export async function refresh(): Promise<void> {
  const answer = await read<Overview>("api/v1/overview");
  if (!answer.ok) {
    const { status, problem } = answer;
    const why = status === undefined ? problem : `status ${status}: ${problem}`;
    lost.value ??= { since: Date.now(), why };
    return;
  }
  lost.value = undefined;
  skewMs = skewOf(answer.at ?? Date.parse(answer.value.at));
  now.value = Date.now() + skewMs;
  overview.value = answer.value;
  revision.value += 1;
}

/** Clocks that differ by less than the answer tells agree. */
function skewOf(daemonsNow: number): number {
  const skew = daemonsNow - Date.now();
  return Math.abs(skew) < 2 * TICK_MS ? 0 : skew;
}

/** Runs for as long as the page is open: one refresh at a time, however slow the daemon is. */
export async function keepFresh(): Promise<never> {
  addEventListener("hashchange", () => {
    view.value = viewOf(location.hash);
  });
  setInterval(() => {
    now.value = Date.now() + skewMs;
  }, TICK_MS);
  let hasChanged = false;
  listen(() => {
    hasChanged = true;
  });
  for (let restedMs = LONGEST_REST_MS; ; restedMs += REFRESH_MS) {
    const isDue = hasChanged || !isLive.value || lost.value !== undefined;
    // A page that nobody looks at costs the daemon nothing.
    const isSeen = !document.hidden || overview.value === undefined;
    if (isSeen && (isDue || restedMs >= LONGEST_REST_MS)) {
      hasChanged = false;
      restedMs = 0;
      await refresh();
    }
    await new Promise<void>((resolve) => {
      setTimeout(resolve, REFRESH_MS);
    });
  }
}
