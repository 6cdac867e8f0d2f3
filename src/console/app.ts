import { useEffect, useErrorBoundary, useRef } from "preact/hooks";
import { actingWord } from "../domain/shown/acting.ts";
import { hashOf } from "./address.ts";
import { html, type Markup } from "./element.ts";
import { isHidden, linkTo, lost, overview, shownAt, view } from "./data/store.ts";
import { OperationDialog } from "./operate/dialog.ts";
import { OperateMenu } from "./operate/menu.ts";
import { LostBanner, OldBanner } from "./parts/lost-banner.ts";
import { Banner, ClockButton } from "./parts/small.ts";
import { useScrolled } from "./parts/scrolled.ts";
import { Search } from "./parts/search.ts";
import { showState } from "./parts/tab.ts";
import { LookBackButton, TimeBar } from "./parts/time-bar.ts";
import { isLaterView, LaterView, loadLaterViews } from "./later-views.ts";
import { OverviewView } from "./views/overview.ts";

/** The frame around every view. */
export function App(): Markup {
  useScrolled();
  const isLost = lost.value !== undefined;
  const isPast = shownAt.value !== undefined;
  useEffect(
    () => showState(overview.value, { isLost, isPast, isHidden: isHidden.value }),
    [overview.value, isLost, isPast, isHidden.value],
  );
  const isShown = overview.value !== undefined;
  useEffect(() => (isShown ? loadLaterViews() : undefined), [isShown]);
  useEffect(() => void document.documentElement.classList.toggle("past", isPast), [isPast]);
  return html`<${TopBar} />
    <div class="lost"><${LostBanner} /><${OldBanner} /></div>
    <main class=${isLost ? "faded" : ""}><${CurrentView} /></main>
    <${OperationDialog} />`;
}

function CurrentView(): Markup {
  const [error, tryAgain] = useErrorBoundary((thrown: unknown) => reportError(thrown));
  useEffect(tryAgain, [view.value]);
  if (error !== undefined) {
    const aside = html`<button type="button" onClick=${tryAgain}>Try again</button>`;
    return html`<${Banner} aside=${aside}>This view could not be drawn: ${String(error)}<//>`;
  }
  const [name = "overview"] = view.value.path;
  if (shownAt.value !== undefined && OF_NOW.has(name)) return html`<${OfNow} />`;
  if (name === "overview") return html`<${OverviewView} />`;
  if (isLaterView(name)) return html`<${LaterView} key=${name} name=${name} />`;
  return html`<p>There is no view "${name}". <a href=${linkTo([])}>Overview</a></p>`;
}

/** Views without a past: rules are tried on what is known now, and replays use today's rules. */
const OF_NOW: ReadonlySet<string> = new Set(["try", "backtest"]);

function OfNow(): Markup {
  const { path } = view.value;
  return html`<p class="card">
    This view has no past: <a href=${hashOf(path)}>go to the present</a>. The rules of that time are
    under${" "} <a href=${linkTo(["rules"])}>Rules</a>, and what they found under${" "}
    <a href=${linkTo(["alerts"])}>Alerts</a>.
  </p>`;
}

const LINKS: ReadonlyArray<readonly [string, readonly string[]]> = [
  ["Overview", []],
  ["Alerts", ["alerts"]],
  ["Entities", ["entities"]],
  ["Remediations", ["remediations"]],
  ["Timeline", ["timeline"]],
  ["Rules", ["rules"]],
];

function TopBar(): Markup {
  const status = overview.value;
  const [current = ""] = view.value.path;
  const mode = status && actingWord(status);
  const links = useRef<HTMLElement>(null);
  const bar = useRef<HTMLElement>(null);
  // Other parts that stay visible while the page is scrolled are placed below the bar, whatever its height.
  useEffect(() => {
    const measured = new ResizeObserver(() => {
      const height = bar.current?.offsetHeight ?? 0;
      document.documentElement.style.setProperty("--top-bar", `${height}px`);
    });
    if (bar.current !== null) measured.observe(bar.current);
    return () => measured.disconnect();
  }, []);
  // On a narrow screen not all of them fit.
  useEffect(() => {
    const shown = links.current?.querySelector("[aria-current]");
    shown?.scrollIntoView({ block: "nearest", inline: "center", behavior: "instant" });
  }, [current]);
  return html`<header class="top" ref=${bar}>
    <h1><a href=${linkTo([])}>aggwatch</a></h1>
    <nav aria-label="Views" ref=${links}>
      ${LINKS.map(
        ([label, path]) =>
          html`<a
            href=${linkTo(path)}
            aria-current=${(path[0] ?? "") === current ? "page" : undefined}
            >${label}</a
          >`,
      )}
    </nav>
    <${Search} />
    <span class="state">
      ${typeof mode === "string" && html`<span class=${`badge ${mode}`}>actions: ${mode}</span>`}
      <${OperateMenu} />
      <${LookBackButton} />
      <${ClockButton} />
    </span>
    <${TimeBar} />
  </header>`;
}
