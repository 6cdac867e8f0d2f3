import type { z } from "zod";
import { ACTION_NAMES } from "../../domain/action.ts";
import { unknownAlert, unknownWord } from "../../config/rules/rule-work.ts";
import { checkSeconds, entriesOf, shapeOf, type FilePart } from "./file-part.ts";
import {
  EXPECTED_LISTS,
  itemOf,
  type Expectation,
  type Item,
  type ListName,
  type Said,
} from "./rule-test.ts";
import {
  expectationSchema,
  expectedAlertSchema,
  expectedRemediationSchema,
  expectedSuppressionSchema,
} from "./schema.ts";
import { schemaKeys } from "../../schema/walk.ts";
import { isRecord } from "../../domain/values/plain-values.ts";

const SCHEMAS: Readonly<Record<ListName, z.ZodType>> = {
  alerts: expectedAlertSchema,
  remediations: expectedRemediationSchema,
  suppressed: expectedSuppressionSchema,
};

/** Compiles one entry of `expect`; gives none if nothing of it can be read. */
export function compileExpectation(part: FilePart): Expectation[] {
  const { path, reporter } = part;
  const value = shapeOf(part, expectationSchema);
  if (value === undefined) return [];
  checkSeconds(reporter, [...path, "at"], value.at);
  const lists = new Map<ListName, readonly Item[]>();
  for (const list of EXPECTED_LISTS) {
    const entries = value[list];
    const names = list === "remediations" ? ACTION_NAMES : part.alerts;
    if (entries !== undefined)
      lists.set(
        list,
        entriesOf(part, list, entries).flatMap((one) => expectedItem(one, SCHEMAS[list], names)),
      );
  }
  if (lists.size === 0 && !reporter.isMisspelt(path, EXPECTED_LISTS))
    reporter.report(path, {
      id: "test/expects-nothing",
      message: "this expects nothing",
      hint: "say alerts, remediations or suppressed; [] if there are to be none",
    });
  return [{ atMs: value.at, line: reporter.lineOf(path), lists }];
}

/** Splits `{ ExchangeDisabled: BINANCE, state: firing }` into the name, the id, and the rest. */
function expectedItem(
  part: FilePart,
  schema: z.ZodType,
  names: readonly string[] | undefined,
): Item[] {
  const { path, reporter } = part;
  const known = schemaKeys(schema);
  const hint = `write it as in { ${names?.[0] ?? "Alert"}: id, ${known[0] ?? ""}: … }`;
  if (!isRecord(part.value)) {
    const message = "an alert or action that is expected must be a mapping of keys";
    reporter.report(path, { id: "test/bad-value", message, hint });
    return [];
  }
  const shape = shapeOf(part, schema);
  if (shape === undefined) return [];
  const said = shape as Readonly<Record<string, Said>>;
  const others = Object.keys(part.value).filter((key) => !known.includes(key));
  const isName = (key: string): boolean => names?.includes(key) ?? true;
  const [name, ...more] = others.filter(isName);
  const isOtherForm = name === undefined && others.length !== 1;
  if (isOtherForm || more.length > 0)
    reporter.report(path, {
      id: "test/expected",
      message: `this names ${more.length > 0 ? "more than one" : "none"} of what is expected`,
      hint,
    });
  if (isOtherForm) return [];
  for (const key of others) {
    if (isName(key)) continue;
    const details =
      names === ACTION_NAMES || others.length > 1
        ? unknownWord("test/unknown-key", "key", key, [...(names ?? []), ...known])
        : unknownAlert("test/unknown-alert", key, names ?? []);
    reporter.report([...path, key], { ...details, at: "key" });
  }
  if (name === undefined) return [];
  const { [name]: id, ...rest } = said;
  // Keys that the schema does not name have texts.
  return [itemOf(name, id as string, rest)];
}
