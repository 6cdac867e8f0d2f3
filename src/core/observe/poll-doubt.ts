import { parseEntityKey } from "../../domain/entity.ts";
import { surfaceKey, type DoubtReason, type Observation } from "../../domain/observation.ts";
import type { Draft } from "../draft.ts";
import { surfacesOf, type SurfaceState } from "../surface-index.ts";
import { describeLeftOut } from "./doubt.ts";

/** What is doubtful in a poll, as its message and its poller say it. */

type Noted = { readonly reason?: DoubtReason; readonly detail: string };

/** What is doubtful in a listing, or else what people should know. Of a long poll, `parts` are only the last piece. */
export function doubtOf(draft: Draft, observation: Observation): Noted | undefined {
  const noted = notedOf(draft, observation);
  if (noted?.reason !== undefined || observation.earlier === undefined) return noted;
  return doubtKnown(draft, observation) ?? noted;
}

/** The first that is noted of these parts. */
function notedOf(draft: Draft, { aggregator, poller, parts }: Observation): Noted | undefined {
  for (const { surface, reading } of parts) {
    if (!reading.ok) continue;
    const known = draft.state.surfaces.get(surfaceKey(aggregator, poller, surface));
    const doubt = reading.doubt ?? (known && doubtIn(known));
    if (doubt !== undefined) return doubt;
    if (reading.note !== undefined) return { detail: reading.note };
    if (known?.leftOut !== undefined) return { detail: describeLeftOut(known.leftOut) };
  }
  return undefined;
}

/** What is doubtful in all that was last read: the first by name, as a replay may have read it in another order. */
function doubtKnown({ state }: Draft, { aggregator, poller }: Observation): Noted | undefined {
  let first: { readonly key: string; readonly doubt: Noted } | undefined;
  for (const surface of surfacesOf(state, aggregator, poller).read.values()) {
    const doubt = surface.ok ? doubtIn(surface) : undefined;
    const { key } = surface;
    if (doubt !== undefined && (first === undefined || key < first.key)) first = { key, doubt };
  }
  return first?.doubt;
}

/** In what was last read of a surface. */
function doubtIn({ doubt, contradictions, losses }: SurfaceState): Noted | undefined {
  if (doubt !== undefined) return doubt;
  if (contradictions.size > 0)
    return { reason: "contradiction", detail: describeContradictions(contradictions) };
  const [loss] = losses.values();
  return loss === undefined ? undefined : { reason: "sudden_loss", detail: loss };
}

const CONTRADICTIONS_SHOWN = 3;

function describeContradictions(all: SurfaceState["contradictions"]): string {
  const shown = [...all.entries().take(CONTRADICTIONS_SHOWN)].map(
    ([key, detail]) => `${parseEntityKey(key).id} is ${detail}`,
  );
  const more = all.size > shown.length ? `, and ${all.size - shown.length} more` : "";
  return `${shown.join("; ")}${more}`.slice(0, 400);
}

export function textOf(doubt: Noted | undefined): string {
  if (doubt?.reason === undefined) return doubt?.detail ?? "";
  return `${doubt.reason}: ${doubt.detail}`;
}
