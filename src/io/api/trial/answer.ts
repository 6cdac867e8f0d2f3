import { ACTION_NAMES, MODES } from "../../../domain/action.ts";
import { alias, entityId, guardAnswers, readFacts } from "../answer-parts.ts";
import {
  boolean,
  documented,
  instant,
  list,
  number,
  object,
  orNull,
  text,
  word,
} from "../codec.ts";
import { textUpTo } from "../lists/query.ts";

/** The body and the answer of `POST /api/v1/try-rule`. */

export const LONGEST_RULES = 12_000;
export const triedRules = textUpTo(LONGEST_RULES);

const problem = object({
  severity: word(["error", "warning", "note"]),
  id: text,
  line: number,
  column: number,
  length: orNull(number),
  message: text,
  hint: orNull(text),
  rendered: documented(text, { description: "With the line and a caret, as `check` prints it." }),
});

const tried = object({
  entity: entityId,
  alias,
  reason: orNull(text),
  facts: readFacts,
  guards: guardAnswers,
});

const rule = object({
  alertname: text,
  kind: text,
  counts: object({ ok: number, bad: number, unknown: number }),
  bad: documented(list(tried), {
    description: "The first 200; of the first 20, what every guard would say if it fired now.",
  }),
  unknown: documented(list(tried), { description: "The first 20, and why." }),
  ok: documented(list(tried), { description: "The first 20, and what the condition read." }),
  action: orNull(object({ name: word(ACTION_NAMES), mode: word(MODES), isStorm: boolean })),
});

export const trialAnswer = documented(
  object({ at: instant, problems: list(problem), rules: list(rule) }),
  "Trial",
);
