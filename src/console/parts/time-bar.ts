import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { filtered, hashOf } from "../address.ts";
import { html, type Markup } from "../element.ts";
import { clock, keptSince, notKept, overview, shownAt, view, zone } from "../data/store.ts";
import { clockText, fieldText, HOUR, instantOf, lengthText, MINUTE, SECOND } from "../text/time.ts";
import { valueOf } from "./filters.ts";
import { isTyping } from "./search.ts";

/** Turns back time: an instant for every view, in the address, so that a view of the past is a link. */

const isOpen = signal(false);

const STEPS = [
  ["−1 h", "One hour earlier", -HOUR],
  ["−1 min", "One minute earlier ( [ )", -MINUTE],
  ["+1 min", "One minute later ( ] )", MINUTE],
  ["+1 h", "One hour later", HOUR],
] as const;
/** While the slider moves, only where it rests is asked for. */
const RESTS_MS = 250;

export function LookBackButton(): Markup | undefined {
  if (shownAt.value !== undefined || keptSince.value === undefined) return undefined;
  return html`<button
    type="button"
    class="lookback"
    aria-expanded=${isOpen.value}
    onClick=${() => {
      isOpen.value = !isOpen.value;
    }}
  >
    Look back
  </button>`;
}

export function TimeBar(): Markup | undefined {
  const at = shownAt.value;
  const [aimed, aim] = useAim();
  useSteps(aimed, aim);
  if (at === undefined && !isOpen.value) return undefined;
  const until = clock.value;
  const since = Math.min(keptSince.value ?? until, aimed);
  const stepMs = until - since > 2 * HOUR ? MINUTE : SECOND;
  const other = zone.value === "UTC" ? "local" : "UTC";
  return html`<div class="time" role="group" aria-label="The instant that is shown">
    ${
      at !== undefined &&
      html`<p class="said" role="status">
        <strong>This is the past: ${clockText(aimed, zone.value)}</strong>
        ${` (${clockText(aimed, other)}), ${lengthText(until - aimed)} ago. Nothing can be done from here.`}
        ${notKept.value === undefined && overview.value === undefined && " Reading the record …"}
      </p>`
    }
    ${notKept.value !== undefined && html`<p class="banner">${notKept.value}</p>`}
    <input
      type="range"
      aria-label="Instant"
      aria-valuetext=${clockText(aimed, zone.value)}
      min=${since}
      max=${until}
      step=${stepMs}
      value=${aimed}
      onInput=${(event: Event) => {
        const wanted = Number(valueOf(event));
        // Its end is now, whatever steps lead there, and though time passes meanwhile.
        aim(wanted > until - stepMs ? Infinity : wanted);
      }}
    />
    <span class="buttons">
      ${STEPS.map(
        ([label, name, by]) =>
          html`<button type="button" title=${name} onClick=${() => aim(aimed + by)}>
            ${label}
          </button>`,
      )}
      <input
        type="datetime-local"
        aria-label=${`Date and time (${zone.value})`}
        step="1"
        value=${fieldText(aimed, zone.value)}
        onChange=${(event: Event) => aim(instantOf(valueOf(event), zone.value))}
      />
      ${
        at !== undefined &&
        html`<button type="button" class="act" onClick=${() => aim(Infinity)}>Back to now</button>
          <a href=${hashOf(["backtest"], { since: at })}
            >What would today's rules have done since?</a
          >`
      }
    </span>
  </div>`;
}

/** The instant that is aimed at, before it is shown; what is not before now is the present. */
function useAim(): readonly [number, (at: number) => void] {
  const shown = Date.parse(shownAt.value ?? "");
  const [draft, setDraft] = useState<number | undefined>();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => setDraft(undefined), [shownAt.value]);
  const aim = (wanted: number): void => {
    if (Number.isNaN(wanted)) return;
    const at = Math.max(Math.round(wanted / SECOND) * SECOND, keptSince.value ?? 0);
    clearTimeout(timer.current);
    setDraft(Math.min(at, clock.value));
    timer.current = setTimeout(() => {
      const isPast = at < clock.value - SECOND;
      location.hash = filtered(view.value, { at: isPast ? new Date(at).toISOString() : "" });
      if (!isPast) setDraft(undefined);
    }, RESTS_MS);
  };
  return [draft ?? (Number.isNaN(shown) ? clock.value : shown), aim];
}

/** `[` and `]` step a minute, wherever the keyboard is but in a field. */
function useSteps(aimed: number, aim: (at: number) => void): void {
  useEffect(() => {
    const onKey = ({ key, ctrlKey, metaKey, target }: KeyboardEvent): void => {
      if (ctrlKey || metaKey || isTyping(target) || (key !== "[" && key !== "]")) return;
      isOpen.value = true;
      aim(aimed + (key === "[" ? -MINUTE : MINUTE));
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [aimed, aim]);
}
