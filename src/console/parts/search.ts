import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { html, type Markup } from "../element.ts";
import { linkTo } from "../data/store.ts";
import type { AlertsJson, EntitiesJson, RulesJson } from "../data/answers.ts";
import { useAnswer } from "../data/use-answer.ts";
import { alertHash } from "../views/alert-rows.ts";
import { grouped, keyOf, nameOf, shortened } from "../text/words.ts";
import { valueOf } from "./filters.ts";
import { OnAggregator } from "./small.ts";

/** One box for everything: entities, aliases, alerts, rules. `/` puts the cursor into it. */

const text = signal("");
const isOpen = signal(false);

const SHOWN = 6;
const ID = "search-found";

export function Search(): Markup {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return html`<form
    class="search"
    role="search"
    onSubmit=${goToFirst}
    onKeyDown=${(event: KeyboardEvent) => moveOrClose(event, input.current)}
    onFocusOut=${(event: FocusEvent) => {
      const { currentTarget, relatedTarget } = event;
      if (!(currentTarget as HTMLElement).contains(relatedTarget as Node | null))
        isOpen.value = false;
    }}
  >
    <input
      ref=${input}
      type="search"
      aria-label="Search entities, alerts and rules"
      placeholder="Search ( / )"
      value=${text.value}
      onInput=${(event: Event) => {
        text.value = valueOf(event);
        isOpen.value = true;
      }}
      onFocus=${() => {
        isOpen.value = true;
      }}
    />
    ${isOpen.value && text.value.trim() !== "" && html`<${Found} words=${text.value.trim()} />`}
  </form>`;
}

/** The first entities and alerts that have all the words, and the rules that are called so, those without alerts last. */
function Found({ words }: { readonly words: string }): Markup {
  const query = new URLSearchParams({ text: words, limit: String(SHOWN) });
  const entities = useAnswer<EntitiesJson>(`api/v1/entities?${query}`);
  const alerts = useAnswer<AlertsJson>(`api/v1/alerts?${query}`);
  const entity = entities?.ok === true ? entities.value : undefined;
  const alert = alerts?.ok === true ? alerts.value : undefined;
  const more = (view: string, count: number | undefined): Markup =>
    html`<a class="all" href=${linkTo([view], { text: words })} onClick=${close}
      >${count === undefined ? `All ${view} …` : `All ${grouped(count)} ${view}`}</a
    >`;
  const inForce = useAnswer<RulesJson>("api/v1/rules", 0);
  const isCalledSo = ({ alertname }: { readonly alertname: string }): boolean =>
    alertname.toLowerCase().includes(words.toLowerCase());
  const rules = (alert?.counts ?? []).filter(isCalledSo);
  const others = (inForce?.ok === true ? inForce.value.rules : []).filter(
    (rule) => isCalledSo(rule) && rules.every(({ alertname }) => alertname !== rule.alertname),
  );
  const isNothing =
    entity?.total === 0 &&
    alert?.total === 0 &&
    rules.length === 0 &&
    inForce?.ok === true &&
    others.length === 0;
  if (isNothing) return html`<p class="found quiet" role="status">Nothing has all these words.</p>`;
  return html`<div class="found" id=${ID}>
    ${rules.map(
      ({ alertname, firing }) =>
        html`<a href=${linkTo(["alerts"], { alertname })} onClick=${close}
          ><b>${alertname}</b> <small>rule, ${grouped(firing)} firing</small></a
        >`,
    )}
    ${(entity?.entities ?? []).map(
      (one) =>
        html`<a
          href=${linkTo(["entity", one.aggregator, one.kind, one.id])}
          title=${keyOf(one)}
          onClick=${close}
          >${shortened(nameOf(one.id, one.facts), 40)} <small>${one.kind}, ${one.condition}</small
          ><${OnAggregator} entity=${one}
        /></a>`,
    )}
    ${more("entities", entity?.total)}
    ${(alert?.alerts ?? []).map(
      (one) =>
        html`<a href=${alertHash(one)} onClick=${close}
          >${one.alertname}
          <small>${one.state} on ${shortened(one.alias ?? one.entity.id, 40)}</small
          ><${OnAggregator} entity=${one.entity}
        /></a>`,
    )}
    ${more("alerts", alert?.total)} ${others.slice(0, SHOWN).map(quietRule)}
  </div>`;
}

function quietRule({ alertname }: RulesJson["rules"][number]): Markup {
  return html`<a href=${linkTo(["rules"], { text: alertname })} onClick=${close}
    ><b>${alertname}</b> <small>rule, without an alert</small></a
  >`;
}

/** Once something is chosen the keys are the page's again. */
function close({ currentTarget }: Event): void {
  (currentTarget as HTMLElement).closest("form")?.querySelector("input")?.blur();
  isOpen.value = false;
}

/** Enter in the box takes the first that was found. */
function goToFirst(event: Event): void {
  event.preventDefault();
  (event.currentTarget as HTMLElement).querySelector<HTMLAnchorElement>(`#${ID} a`)?.click();
}

/** Arrows go through what was found; Escape closes it. */
function moveOrClose(event: KeyboardEvent, input: HTMLElement | null): void {
  const { key, currentTarget } = event;
  if (key === "Escape") {
    // The box opens when it gets the focus.
    input?.focus();
    isOpen.value = false;
  }
  if (key !== "ArrowDown" && key !== "ArrowUp") return;
  event.preventDefault();
  const links = [...(currentTarget as HTMLElement).querySelectorAll<HTMLElement>(`#${ID} a`)];
  const all = [...(input === null ? [] : [input]), ...links];
  const at = all.indexOf(document.activeElement as HTMLElement);
  all[(at + (key === "ArrowDown" ? 1 : -1) + all.length) % all.length]?.focus();
}

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.closest("input, textarea, select, dialog") !== null;
}
