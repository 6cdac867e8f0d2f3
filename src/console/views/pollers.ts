import { useRef } from "preact/hooks";
import { html, type Markup } from "../element.ts";
import type { PollersJson, Poller } from "../data/answers.ts";
import { asOf, minutes, overview, shownAt } from "../data/store.ts";
import { useAnswer } from "../data/use-answer.ts";
import { DurationLine } from "../parts/duration-line.ts";
import { FactValue } from "../parts/facts.ts";
import { Heartbeat } from "../parts/heartbeat.ts";
import { Ago, Badge } from "../parts/small.ts";
import { wasPolled } from "../text/polled.ts";
import { MINUTE } from "../text/time.ts";
import { counted } from "../text/words.ts";

/** How each poller reads: its state, a bar for each of its last polls, and how long they took. */
export function Pollers({ aggregator }: { readonly aggregator: string }): Markup {
  const path = `api/v1/pollers?${new URLSearchParams({ aggregator, span: "1h", bucket: "1m" })}`;
  const answer = useAnswer<PollersJson>(path);
  const recorded = useRecorded(path, answer?.ok === true ? answer.value.pollers : []);
  if (answer === undefined) return html`<p class="quiet">Loading …</p>`;
  if (!answer.ok) return html`<p class="quiet">Not known: ${answer.problem}</p>`;
  return html`<div class="pollers">
    ${answer.value.pollers.map(
      (poller) =>
        html`<${PollerRow}
          key=${poller.entity.id}
          poller=${poller}
          recorded=${recorded.get(poller.entity.id)}
        />`,
    )}
  </div>`;
}

const NONE: ReadonlyMap<string, Poller["recent"]> = new Map();

/**
 * The polls that other replicas make, by the pollers' ids, as their common record has them: up to the last whole minute,
 * as the record of a day may have to be replayed for it.
 */
function useRecorded(
  path: string,
  pollers: readonly Poller[],
): ReadonlyMap<string, Poller["recent"]> {
  const last = useRef(NONE);
  const isElsewhere =
    shownAt.value === undefined &&
    typeof overview.value?.replica === "string" &&
    pollers.some(isPolledElsewhere);
  const at = (isElsewhere ? minutes.value : 0) * MINUTE;
  const then = asOf(path, new Date(at).toISOString());
  const answer = useAnswer<PollersJson>(isElsewhere ? then : undefined, 0);
  // While the next minute is on its way, the one before is shown.
  if (answer?.ok === true)
    last.current = new Map(answer.value.pollers.map(({ entity, recent }) => [entity.id, recent]));
  // Nothing of the present is mixed into the past.
  return isElsewhere ? last.current : NONE;
}

function isPolledElsewhere(poller: Poller): boolean {
  return poller.recent.length === 0 && wasPolled(poller);
}

function PollerRow(properties: {
  readonly poller: Poller;
  readonly recorded: Poller["recent"] | undefined;
}): Markup {
  const { poller, recorded = [] } = properties;
  const { id, facts } = poller.entity;
  const { error, last_success: read, surfaces, failing_surfaces: failing = 0 } = facts;
  const details = [
    ...(surfaces === undefined ? [] : [counted(Number(surfaces), "surface")]),
    ...(Number(failing) > 0 ? [`${failing} of them failing`] : []),
  ];
  const isRecorded = isPolledElsewhere(poller) && recorded.length > 0;
  const recent = isRecorded ? recorded : poller.recent;
  return html`<div class="poller card">
    <div>
      <b>${id}</b> <${Badge} ...${stateOf(facts)} />
      <small
        >read
        ${read === undefined ? "never" : html`<${FactValue} value=${read} />`}${
          details.length > 0 && html`, ${details.join(", ")}`
        }${
          isRecorded &&
          html`; polls of another replica, the last one recorded <${Ago} at=${recent.at(-1)?.at} />`
        }</small
      >
    </div>
    <${Heartbeat} poller=${{ ...poller, recent }} />
    <${DurationLine} label=${id} polls=${recent} />
    ${error !== undefined && html`<small class="why">${error}</small>`}
  </div>`;
}

function stateOf(facts: Poller["entity"]["facts"]): { word: string; tone: string } {
  if (facts["up"] === undefined) return { word: "not yet", tone: "unknown" };
  if (facts["stale"] === true) return { word: "stale", tone: "firing" };
  return facts["up"] === true ? { word: "up", tone: "verified" } : { word: "down", tone: "firing" };
}
