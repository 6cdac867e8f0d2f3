import { html, type Markup } from "../element.ts";
import type { WatchJson } from "../data/answers.ts";
import { useAnswer } from "../data/use-answer.ts";
import type { Given } from "./operation.ts";

/** The page can only take off a list what an operator put there; anything else stands out. */
export function Listed({ given }: { readonly given: Given }): Markup {
  const { aggregator = "", kind = "" } = given;
  const target = (given["target"] ?? "").trim();
  const query = new URLSearchParams({ aggregator, kind, target });
  const answer = useAnswer<WatchJson>(target === "" ? undefined : `api/v1/watch?${query}`);
  if (target === "") return html`<span>takes an entry of an operator off its list</span>`;
  if (answer === undefined) return html`<span class="quiet">Loading …</span>`;
  if (!answer.ok) return html`<strong class="bad">${answer.problem}</strong>`;
  const [entry] = entriesIn(answer.value);
  if (entry === undefined)
    return html`<${NotListed} query=${{ aggregator, kind, text: target }} />`;
  const { origins } = entry;
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

function entriesIn({ aggregators }: WatchJson): WatchJson["aggregators"][number]["entries"] {
  return aggregators.flatMap((one) => one.entries);
}

type Query = Readonly<Record<"aggregator" | "kind" | "text", string>>;

function NotListed({ query }: { readonly query: Query }): Markup {
  const answer = useAnswer<WatchJson>(`api/v1/watch?${new URLSearchParams(query)}`);
  const alike = answer?.ok === true ? entriesIn(answer.value) : [];
  const meant = alike.find(({ alias }) => alias === query.text)?.target;
  return html`<strong class="bad"
    >0 entries: ${meant === undefined ? "no list has it" : `it is the alias of ${meant}`}</strong
  >`;
}
