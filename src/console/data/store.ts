import { computed, effect, signal } from "@preact/signals";
import { hashOf, viewOf, type View } from "../address.ts";
import { MINUTE, type Zone } from "../text/time.ts";
import type { OverviewJson } from "./answers.ts";
import { isLive, listen } from "./events.ts";
import { isPassing, read } from "./fetch.ts";

/** What all views share: the overview, the time, and whether the daemon still answers. */

const REFRESH_MS = 3_000;
/** How often the overview is read even without a message: time alone may change the verdict. */
const LONGEST_REST_MS = 15_000;
const TICK_MS = 1_000;

export const overview = signal<OverviewJson | undefined>(undefined);

/** The names of the aggregators that are watched. */
export const aggregators = computed(() =>
  (overview.value?.aggregators ?? []).map(({ name }) => name),
);

/** Since when the daemon does not answer, and why; undefined while it does. */
export const lost = signal<{ readonly since: number; readonly why: string } | undefined>(undefined);

/** Whether the page is hidden, for example behind another tab. */
export const isHidden = signal(document.hidden);

/** Grows with each answer of the overview: views that show more read again then. */
export const revision = signal(0);

/** The daemon's clock, carried on since its last answer: ages are measured by it, not by the browser's. */
export const clock = signal(Date.now());

/** The same in whole minutes, for what need not change each second. */
export const minutes = computed(() => Math.floor(clock.value / MINUTE));

export const view = signal(viewOf(location.hash));

/** The instant that is shown, as it is in the address; undefined: the present. */
export const shownAt = computed(() => view.value.filters["at"]);

/** The instant from which ages are measured: the one that is shown. */
export const now = computed(() => {
  const at = Date.parse(shownAt.value ?? "");
  return Number.isNaN(at) ? clock.value : at;
});

/** Since when the past can be shown. */
export const keptSince = signal<number | undefined>(undefined);

/** Why the instant cannot be shown. */
export const notKept = signal<string | undefined>(undefined);

/** The address of a view, of the instant that is shown. */
export function linkTo(path: readonly string[], filters: View["filters"] = {}): string {
  const at = shownAt.value;
  return hashOf(path, at === undefined ? filters : { ...filters, at });
}

/** A path of the API, for the instant that is shown. */
export function asOf(path: string, at: string | undefined): string {
  if (at === undefined) return path;
  return `${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams({ at })}`;
}

/** The only thing that is kept when the page is left: a preference. */
const ZONE_KEY = "aggwatch.zone";

export const zone = signal<Zone>(storedZone());

export function chooseZone(chosen: Zone): void {
  zone.value = chosen;
  try {
    localStorage.setItem(ZONE_KEY, chosen);
  } catch {
    // If the browser stores nothing, the choice lasts as long as the page is open.
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

/** Requests of the overview are numbered, so that an answer overtaken by a later one is ignored. */
let lastAsked = 0;
let lastAnswered = 0;

/** The overview of an instant that is past was refused for good, and is not asked for again. */
let isRefused = false;

/** Reads the overview, as after a call that changed something. */
export async function refresh(): Promise<void> {
  const at = shownAt.value;
  const number = (lastAsked += 1);
  const answer = await read<OverviewJson>(asOf("api/v1/overview", at));
  // Meanwhile another instant was chosen.
  if (at !== shownAt.value || number < lastAnswered) return;
  lastAnswered = number;
  isRefused = at !== undefined && !answer.ok && !isPassing(answer);
  if (!answer.ok) {
    const { status, problem, isBusy } = answer;
    const isOfThen = at !== undefined && status !== undefined;
    notKept.value = isOfThen && isBusy !== true ? problem : undefined;
    // In the present, a busy daemon is one that restores its journal: it knows nothing yet.
    if (isOfThen) return;
    const why = status === undefined ? problem : `status ${status}: ${problem}`;
    lost.value ??= { since: Date.now() + skewMs, why };
    return;
  }
  notKept.value = undefined;
  lost.value = undefined;
  const { value } = answer;
  if (at === undefined || answer.at !== undefined) {
    skewMs = skewOf(answer.at ?? Date.parse(value.at));
    clock.value = Date.now() + skewMs;
  }
  keptSince.value = value.kept_since === null ? undefined : Date.parse(value.kept_since);
  overview.value = value;
  revision.value += 1;
}

/** Clocks that differ by less than the answer's precision agree. */
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
    clock.value = Date.now() + skewMs;
  }, TICK_MS);
  let hasChanged = false;
  let wake: (() => void) | undefined;
  document.addEventListener("visibilitychange", () => {
    isHidden.value = document.hidden;
    if (document.hidden) return;
    // What was shown before the tab was hidden must not be taken for the present.
    hasChanged = true;
    wake?.();
  });
  effect(() => showInstant(() => (hasChanged = true)));
  for (let restedMs = REFRESH_MS; ; restedMs += REFRESH_MS) {
    await new Promise<void>((resolve) => {
      wake = resolve;
      setTimeout(resolve, REFRESH_MS);
    });
    const isLoud = hasChanged || !isLive.value || lost.value !== undefined;
    // The past does not change, and a hidden page costs the daemon nothing.
    const isDue = shownAt.value === undefined && (isLoud || restedMs >= LONGEST_REST_MS);
    if (!document.hidden && (isDue || overview.value === undefined)) {
      hasChanged = false;
      restedMs = 0;
      if (!isRefused) await refresh();
    }
  }
}

/** Begins to show an instant, or the present; changes are sent only of the present. Returns what ends that. */
function showInstant(changed: () => void): (() => void) | undefined {
  const at = shownAt.value;
  // The overview of another instant must not be taken for this one.
  overview.value = undefined;
  notKept.value = undefined;
  isRefused = false;
  void refresh();
  return at === undefined ? listen(changed) : undefined;
}
