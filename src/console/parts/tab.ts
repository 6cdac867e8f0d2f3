import type { OverviewJson } from "../data/answers.ts";

/** The tab of the browser shows the state: the title by a number, the icon by colour and shape. */
export function showState(
  status: OverviewJson | undefined,
  { isLost, isPast, isHidden }: { isLost: boolean; isPast: boolean; isHidden: boolean },
): void {
  const firing = (status?.alert_groups ?? []).reduce((sum, group) => sum + group.firing, 0);
  if (isPast) document.title = "the past – aggwatch";
  else if (isLost) document.title = "(?) aggwatch does not answer";
  // A page in the background reads nothing, so what it knows may be out of date.
  else if (isHidden) document.title = "(…) aggwatch";
  else document.title = firing === 0 ? "aggwatch" : `(${firing}) aggwatch`;
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const isUnsure = isLost || isPast || isHidden;
  if (icon !== null) icon.href = iconOf(isUnsure ? "unsure" : (status?.verdict.tone ?? "unsure"));
}

/** A disc for well, a triangle for a warning, a square for bad, a ring if it is not known. */
const SHAPES: Readonly<Record<string, string>> = {
  well: '<circle cx="8" cy="8" r="7" fill="#2e7d32"/>',
  unsure: '<circle cx="8" cy="8" r="5.5" fill="none" stroke="#777" stroke-width="3"/>',
  warning: '<path d="M8 1 15.5 15H.5Z" fill="#e08a00"/>',
  bad: '<rect x="1" y="1" width="14" height="14" fill="#c62828"/>',
};

function iconOf(tone: string): string {
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${SHAPES[tone] ?? ""}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(drawing)}`;
}
