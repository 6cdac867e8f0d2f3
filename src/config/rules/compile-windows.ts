import { COMMON_FACTS } from "../../domain/entity.ts";
import { WINDOW_FUNCTIONS, type WindowFunction, type WindowSpec } from "../../domain/rule.ts";
import { DAY, formatDuration, SECOND } from "../../domain/time.ts";
import { valueAt } from "../../domain/values/plain-values.ts";
import type { WindowText } from "./rule-schema.ts";
import { unknownWord, type RulePlace, type Work } from "./rule-work.ts";

/** The windowed facts of a rule (`with`): their names, and what each is of. */

const MOST_WINDOWS = 16;
const LONGEST_WINDOW = 7 * DAY;
const SHORTEST_WINDOW = SECOND;

/**
 * The names that a rule gives its windowed facts, also those with a problem: an expression that reads one of those is
 * not wrong itself.
 */
export function windowNames(place: RulePlace): ReadonlySet<string> {
  const named = valueAt(place.source.value, [...place.path, "with"]);
  return new Set(typeof named === "object" && named !== null ? Object.keys(named) : []);
}

/** Compiles the windows whose shape is sound, and reports what is wrong in them. */
export function compileWindows(
  texts: Readonly<Record<string, WindowText>>,
  work: Work,
): readonly WindowSpec[] {
  const names = windowNames(work.place);
  for (const name of names) checkName(name, work);
  if (names.size > MOST_WINDOWS)
    work.report(["with"], {
      id: "rule/too-many-windows",
      message: `a rule has at most ${MOST_WINDOWS} windowed facts, and this one has ${names.size}`,
      at: "key",
    });
  return Object.entries(texts).flatMap(([name, text]) => {
    checkFact(name, text, work);
    checkTo(name, text, work);
    return compileFunction(name, text, work);
  });
}

function checkName(name: string, work: Work): void {
  const { kind, definition } = work.language;
  if (!/^[a-z][A-Za-z0-9_]*$/.test(name) || name in Object.prototype || isReserved(name, work))
    work.report(["with", name], {
      id: "rule/bad-window",
      message: `"${name}" is not a name for a windowed fact`,
      hint: "a small letter, then letters, digits and underscores, such as base_1h_max",
      at: "key",
    });
  else if (Object.hasOwn(COMMON_FACTS, name) || Object.hasOwn(definition.facts, name))
    work.report(["with", name], {
      id: "rule/window-name",
      message: `"${name}" is a fact of "${kind}" already; a windowed fact needs a name of its own`,
      hint: `for example ${name}_1h_max`,
      at: "key",
    });
}

/** A word of CEL cannot be a name: `pool.in` cannot be written. */
function isReserved(name: string, { language }: Work): boolean {
  try {
    language.environment.parse(`${language.kind}.${name}`);
    return false;
  } catch {
    return true;
  }
}

function checkFact(name: string, text: WindowText, work: Work): void {
  const { kind, definition } = work.language;
  const fact = Object.hasOwn(definition.facts, text.fact) ? definition.facts[text.fact] : undefined;
  const path = ["with", name, "fact"];
  if (fact === undefined) {
    const known = Object.keys(definition.facts);
    const details = unknownWord("rule/unknown-fact", "fact", text.fact, known);
    work.report(path, { ...details, message: `${details.message} for kind "${kind}"` });
    return;
  }
  const [first] = functionsOf(text);
  if (fact.type === "double" || first === undefined || first === "count") return;
  const numbers = Object.entries(definition.facts).filter(([, { type }]) => type === "double");
  work.report(path, {
    id: "rule/window-type",
    message: `"${first}" needs a number (double), and "${text.fact}" is of type ${fact.type}`,
    hint:
      numbers.length > 0
        ? `count works with every fact; numbers of ${kind}: ${numbers.map(([one]) => one).join(", ")}`
        : "count works with every fact",
  });
}

function checkTo(name: string, text: WindowText, work: Work): void {
  const to = text.count?.to;
  const fact = work.language.definition.facts[text.fact];
  if (to === undefined || fact === undefined) return;
  const type = typeof to === "number" ? "double" : typeof to === "boolean" ? "bool" : "string";
  if (type === fact.type) return;
  work.report(["with", name, "count", "to"], {
    id: "rule/window-type",
    message: `"${text.fact}" is of type ${fact.type}, and ${JSON.stringify(to)} is of type ${type}`,
    ...(fact.type === "timestamp" ? { hint: "leave out to: every change counts" } : {}),
  });
}

function functionsOf(text: WindowText): readonly WindowFunction[] {
  return WINDOW_FUNCTIONS.filter((word) => text[word] !== undefined);
}

function compileFunction(name: string, text: WindowText, work: Work): readonly WindowSpec[] {
  const [first, ...more] = functionsOf(text);
  const path = ["with", name];
  if (first === undefined) {
    // A function that is there and wrong has been reported already.
    const raw = valueAt(work.place.source.value, [...work.place.path, ...path]);
    const isWrong = typeof raw === "object" && raw !== null && Object.keys(raw).length > 1;
    if (!isWrong)
      work.report(path, {
        id: "rule/window-function",
        message: `"${name}" does not say what of "${text.fact}" it is`,
        hint: `one of ${WINDOW_FUNCTIONS.join(", ")}, with a length, for example max: 1h`,
        at: "key",
      });
    return [];
  }
  for (const word of more)
    work.report([...path, word], {
      id: "rule/window-function",
      message: `"${name}" has more than one function: "${first}" and "${word}"`,
      hint: "a name for each",
      at: "key",
    });
  const to = text.count?.to;
  const lengthMs = (first === "count" ? text.count?.within : text[first]) ?? 0;
  if (lengthMs > LONGEST_WINDOW || lengthMs < SHORTEST_WINDOW)
    work.report([...path, first, ...(to === undefined ? [] : ["within"])], {
      id: "rule/window-length",
      message: `a window is from ${formatDuration(SHORTEST_WINDOW)} to ${formatDuration(LONGEST_WINDOW)} long`,
    });
  return [
    { name, fact: text.fact, function: first, lengthMs, ...(to === undefined ? {} : { to }) },
  ];
}
