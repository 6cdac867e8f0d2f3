import { useEffect, useRef } from "preact/hooks";
import { hashOf } from "./address.ts";
import { html, type Markup } from "./element.ts";
import { UNREACHABLE } from "./data/fetch.ts";
import { linkTo, lost, overview, shownAt, view } from "./data/store.ts";
import { OperationDialog } from "./operate/dialog.ts";
import { OperateMenu } from "./operate/menu.ts";
import { Banner, Clock, ClockButton } from "./parts/small.ts";
import { useScrolled } from "./parts/scrolled.ts";
import { Search } from "./parts/search.ts";
import { showState } from "./parts/tab.ts";
import { LookBackButton, TimeBar } from "./parts/time-bar.ts";
import { isLaterView, LaterView, loadLaterViews } from "./later-views.ts";
import { OverviewView } from "./views/overview.ts";

/** The frame around every view. */
export function App(): Markup {
  useScrolled();
  useEffect(
    () => showState(overview.value, lost.value !== undefined, shownAt.value !== undefined),
    [overview.value, lost.value, shownAt.value],
  );
  const isShown = overview.value !== undefined;
  useEffect(() => (isShown ? loadLaterViews() : undefined), [isShown]);
  const isLost = lost.value !== undefined;
  const isPast = shownAt.value !== undefined;
  useEffect(() => void document.documentElement.classList.toggle("past", isPast), [isPast]);
  return html`<${TopBar} />
    ${lost.value !== undefined && html`<${LostBanner} ...${lost.value} />`}
    <main class=${isLost ? "faded" : ""}><${CurrentView} /></main>
    <${OperationDialog} />`;
}

function CurrentView(): Markup {
  const [name = "overview"] = view.value.path;
  if (shownAt.value !== undefined && OF_NOW.has(name)) return html`<${OfNow} />`;
  if (name === "overview") return html`<${OverviewView} />`;
  if (isLaterView(name)) return html`<${LaterView} key=${name} name=${name} />`;
  return html`<p>There is no view "${name}". <a href=${linkTo([])}>Overview</a></p>`;
}

/** A rule is tried on what is known now, and the past is replayed by the rules of now. */
const OF_NOW: ReadonlySet<string> = new Set(["try", "backtest"]);

function OfNow(): Markup {
  const { path } = view.value;
  return html`<p class="card">
    This is asked of the present: <a href=${hashOf(path)}>go there</a>. The rules of then are
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
  const mode = (status?.killed.length ?? 0) > 0 ? "stopped" : status?.mode;
  const links = useRef<HTMLElement>(null);
  // On a narrow screen not all of them fit.
  useEffect(() => {
    const shown = links.current?.querySelector("[aria-current]");
    shown?.scrollIntoView({ block: "nearest", inline: "center", behavior: "instant" });
  }, [current]);
  return html`<header class="top">
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

function LostBanner({ since, why }: { readonly since: number; readonly why: string }): Markup {
  return html`<div class="lost" role="alert">
    <${Banner}>
      What is below is old: aggwatch does not answer since <${Clock} at=${since} />${
        why === UNREACHABLE ? "" : ` (${why})`
      }.
      It is asked again every few seconds.
    <//>
  </div>`;
}
