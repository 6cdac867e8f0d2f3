/**
 * Gives the focus back once the dialog is closed: to what opened it or, if that is gone, to what stands in its place.
 * Otherwise a user of the keyboard would be back at the top of the page.
 */
export function placeOf(opener: Element | null): () => void {
  const row = opener?.closest(ROW);
  // What has gone has no neighbours any more.
  const rows = row === null || row === undefined ? [] : [row, ...neighboursOf(row)];
  const menu = opener?.closest("details")?.querySelector("summary");
  const giveBack = (): void => {
    const taken = [opener, menu, ...rows.map((one) => one.querySelector(FOCUSABLE))].find(
      takesFocus,
    );
    if (taken === undefined) focusMain();
    else followIfRemoved(taken, giveBack);
  };
  return giveBack;
}

const ROW = "article, tr, li, [role=row]";
const FOCUSABLE = "button:not(:disabled), a[href], input:not(:disabled), summary";

/** Those after it, and then those before it, the nearest first. */
function neighboursOf(row: Element): readonly Element[] {
  const all = [...(row.parentElement?.children ?? [])].filter((one) => one.matches(ROW));
  const own = all.indexOf(row);
  return [...all.slice(own + 1), ...all.slice(0, own).reverse()];
}

function takesFocus(place: Element | null | undefined): place is HTMLElement {
  if (!(place instanceof HTMLElement) || place.matches("body, :disabled")) return false;
  place.focus();
  return document.activeElement === place;
}

function focusMain(): void {
  const main = document.querySelector("main");
  main?.setAttribute("tabindex", "-1");
  main?.focus();
}

/** What was approved is gone a moment later, and its row with it. */
function followIfRemoved(place: Element, giveBack: () => void): void {
  const watching = new MutationObserver(() => {
    if (place.isConnected) return;
    end();
    if (document.activeElement === document.body) giveBack();
  });
  const end = (): void => {
    watching.disconnect();
    document.removeEventListener("focusin", end);
  };
  watching.observe(document.body, { childList: true, subtree: true });
  // The person has moved the focus already.
  document.addEventListener("focusin", end);
}
