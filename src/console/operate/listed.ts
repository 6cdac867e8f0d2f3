import { html, type Markup } from "../element.ts";
import type { Watch } from "../data/answers.ts";
import { useAnswer, type Path } from "../data/use-answer.ts";
import type { Given } from "./operation.ts";

/** The page can only take off a list what an operator put there; anything else stands out. */
export function Listed({ given }: { readonly given: Given }): Markup {
  const { aggregator = "", kind = "" } = given;
  const target = (given["target"] ?? "").trim();
  const query = new URLSearchParams({ aggregator, kind, text: target });
  const path: Path<Watch> = `api/v1/watch?${query}`;
  const answer = useAnswer(target === "" ? undefined : path);
  const lists = answer?.ok === true ? answer.value.aggregators : [];
  const entries = lists.flatMap((one) => one.entries);
  if (target === "") return html`<span>takes an entry of an operator off its list</span>`;
  if (answer?.ok !== true) return html`<span class="quiet">Loading …</span>`;
  // Addresses are the same in capitals.
  const wanted = target.toLowerCase();
  const origins = entries.find((one) => one.target.toLowerCase() === wanted)?.origins;
  if (origins === undefined) return html`<${NotListed} target=${target} entries=${entries} />`;
  const others = origins.filter((one) => one !== OPERATORS);
  if (others.length === origins.length)
    return html`<strong class="bad"
      >0 entries of an operator: it is listed by ${others.join(", ")}, and ends there alone</strong
    >`;
  return html`<span
    >takes 1 entry of an operator off its
    list${others.length > 0 && html`; <b>it stays watched, as ${others.join(", ")} has it, too</b>`}</span
  >`;
}

const OPERATORS = "api";

type Entry = Watch["aggregators"][number]["entries"][number];

function NotListed(properties: {
  readonly target: string;
  readonly entries: readonly Entry[];
}): Markup {
  const { target, entries } = properties;
  const meant = entries.find(({ alias }) => alias === target)?.target;
  return html`<strong class="bad"
    >0 entries: ${meant === undefined ? "no list has it" : `it is the alias of ${meant}`}</strong
  >`;
}
