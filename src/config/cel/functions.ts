import type { ASTNode } from "@marcbachmann/cel-js";
import { hintFor } from "../suggest.ts";

/**
 * Every function that an expression may call, and what it gives. Those that the library has but this does not list
 * (`dyn`, `type`, `bytes`, `uint`, `json`) would only be ways around the type checker.
 */
export const FUNCTIONS: Readonly<Record<string, string>> = {
  age: "`age(t)`: `now` minus the instant `t`.",
  has: "`has(exchange.status)`: true if the fact is known.",
  size: "`size(x)` or `x.size()`: the number of characters or items.",
  string: "`string(x)`: as text.",
  int: '`int(x)`: as a whole number; also of a text: `int("5")`.',
  double: "`double(x)`: as a number.",
  bool: '`bool("true")`: as true or false.',
  duration: '`duration("1h30m")`: a length of time.',
  timestamp: '`timestamp("2026-01-31T12:00:00Z")`: an instant.',
  re2: '`x.re2("-(USDT|USDC)$")`: true if the text matches the pattern anywhere; RE2, linear time.',
  startsWith: '`x.startsWith("ORN-")`',
  endsWith: '`x.endsWith("-USDT")`',
  contains: '`x.contains("ORN")`',
  lowerAscii: "`x.lowerAscii()`: in lower case (ASCII letters).",
  upperAscii: "`x.upperAscii()`: in upper case (ASCII letters).",
  trim: "`x.trim()`: without white space at the ends.",
  indexOf: '`x.indexOf("-")`: the first position, from 0; -1 if there is none.',
  lastIndexOf: '`x.lastIndexOf("-")`: the last position.',
  substring: "`x.substring(0, 3)`: from the first position up to, but not including, the second.",
  split: '`x.split("-")`: a list of texts.',
  join: '`x.join(", ")`: the items of a list as one text.',
  all: "`list.all(x, x > 1)`: true if it is true of all items.",
  exists: "`list.exists(x, x > 1)`: true if it is true of at least one item.",
  exists_one: "`list.exists_one(x, x > 1)`: true if it is true of exactly one item.",
  filter: "`list.filter(x, x > 1)`: the items for which it is true.",
  map: "`list.map(x, x * 2)`: a list of the results.",
  bind: "`cel.bind(x, pool.base / pool.quote, x < 1 || x > 2)`: gives a value a name, here `x`.",
  getFullYear:
    '`t.getFullYear()`: the year of an instant, in UTC; with a time zone: `t.getFullYear("Europe/Berlin")`.',
  getMonth: "`t.getMonth()`: from 0, which is January.",
  getDate: "`t.getDate()`: day of the month, from 1.",
  getDayOfMonth: "`t.getDayOfMonth()`: day of the month, from 0.",
  getDayOfWeek: "`t.getDayOfWeek()`: from 0, which is Sunday.",
  getDayOfYear: "`t.getDayOfYear()`: day of the year, from 0.",
  getHours: "`t.getHours()`: of an instant, 0 to 23; of a duration, all of its hours.",
  getMinutes: "`t.getMinutes()`: as `getHours`.",
  getSeconds: "`t.getSeconds()`: as `getHours`.",
  getMilliseconds: "`t.getMilliseconds()`: as `getHours`.",
};

const OVER_TIME = "what a fact was over time is a fact of its own, by with: (docs/rules.md)";

/** Functions of other languages, and what takes their place in CEL. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  now: "now is a value and no function: write now, or age(x.since)",
  time: "write now, or age(x.since)",
  not: "write ! right before it: !x",
  len: "write size(x)",
  length: "write size(x)",
  count: "write size(x)",
  lower: "write x.lowerAscii()",
  upper: "write x.upperAscii()",
  abs: "write x < 0 ? -x : x",
  rate: OVER_TIME,
  increase: OVER_TIME,
  delta: OVER_TIME,
  changes: OVER_TIME,
  avg_over_time: OVER_TIME,
  max_over_time: OVER_TIME,
  min_over_time: OVER_TIME,
};

/** The place of a name that no function has, and what to write instead; undefined if one has it. */
export function unknownFunction(node: ASTNode & { readonly op: "call" | "rcall" }, name: string) {
  if (Object.hasOwn(FUNCTIONS, name)) return undefined;
  const start = node.op === "call" ? node.start : node.args[1].end + 1;
  const hint = Object.hasOwn(OTHER_WORDS, name)
    ? OTHER_WORDS[name]
    : hintFor(name, Object.keys(FUNCTIONS));
  return { hint, start, end: Math.min(start + name.length, node.end) };
}
