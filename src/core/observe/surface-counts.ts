import type { Facts } from "../../domain/entity.ts";
import type { SurfaceState } from "../surface-index.ts";

/** The facts of a poller that count its surfaces by how they were read. */
export function countsOf(surfaces: Iterable<SurfaceState>): Facts {
  const counts = { all: 0, failing: 0, truncated: 0, missing: 0, leftOut: 0 };
  for (const surface of surfaces) {
    counts.all += 1;
    if (!surface.ok) counts.failing += 1;
    if (isTruncated(surface)) counts.truncated += 1;
    if (surface.missing === true) counts.missing += 1;
    counts.leftOut += surface.leftOut ?? 0;
  }
  return {
    surfaces: counts.all,
    failing_surfaces: counts.failing,
    truncated_surfaces: counts.truncated,
    missing_surfaces: counts.missing,
    left_out: counts.leftOut,
    all_missing: counts.missing > 0 && counts.missing === counts.all,
  };
}

/** A listing that exceeds our own limits was not cut by the aggregator, and has an alert of its own. */
function isTruncated({ ok, complete, losses, missing, doubt }: SurfaceState): boolean {
  const isCut = !complete && doubt?.reason !== "too_many";
  return ok && (isCut || losses.size > 0) && missing !== true;
}
