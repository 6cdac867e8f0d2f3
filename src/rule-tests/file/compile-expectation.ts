import type { z } from "zod";
import { ACTION_NAMES, type ActionName } from "../../domain/action.ts";
import { unknownAlert, unknownWord } from "../../config/rules/rule-work.ts";
import { checkSeconds, entriesOf, shapeOf, type FilePart } from "./file-part.ts";
import type { Expectation, ExpectedAlert } from "./rule-test.ts";
import type { ExpectedRemediation, ExpectedSuppression } from "./rule-test.ts";
import {
  expectationSchema,
  expectedAlertSchema,
  expectedRemediationSchema,
  expectedSuppressionSchema,
} from "./schema.ts";
import { schemaKeys } from "../../schema/walk.ts";

/** Compiles one entry of `expect`, or gives none where it is wrong. */
export function compileExpectation(part: FilePart): Expectation[] {
  const { path, reporter } = part;
  const value = shapeOf(part, expectationSchema);
  if (value === undefined) return [];
  checkSeconds(reporter, [...path, "at"], value.at);
  if (value.alerts === undefined && value.remediations === undefined && !value.suppressed)
    reporter.report(path, {
      id: "test/expects-nothing",
      message: "this expects nothing",
      hint: "say alerts, remediations or suppressed; [] where there are to be none",
    });
  const alerts = value.alerts && entriesOf(part, "alerts", value.alerts).flatMap(expectedAlert);
  const remediations =
    value.remediations &&
    entriesOf(part, "remediations", value.remediations).flatMap(expectedRemediation);
  const suppressed =
    value.suppressed &&
    entriesOf(part, "suppressed", value.suppressed).flatMap(expectedSuppression);
  return [
    {
      atMs: value.at,
      line: reporter.lineOf(path),
      ...(alerts === undefined ? {} : { alerts }),
      ...(remediations === undefined ? {} : { remediations }),
      ...(suppressed === undefined ? {} : { suppressed }),
    },
  ];
}

function expectedAlert(part: FilePart): ExpectedAlert[] {
  const named = splitName(part, expectedAlertSchema, alertNames(part));
  if (named === undefined) return [];
  const { name: alert, id, said } = named;
  return [{ alert, id, ...withoutUndefined<ExpectedAlert>(said) }];
}

function expectedSuppression(part: FilePart): ExpectedSuppression[] {
  const named = splitName(part, expectedSuppressionSchema, alertNames(part));
  if (named === undefined) return [];
  const { name: alert, id, said } = named;
  return [{ alert, id, ...withoutUndefined<ExpectedSuppression>(said) }];
}

function expectedRemediation(part: FilePart): ExpectedRemediation[] {
  const named = splitName(part, expectedRemediationSchema, ACTION_NAMES);
  if (named === undefined) return [];
  const { name, id, said } = named;
  return [{ action: name as ActionName, id, ...withoutUndefined<ExpectedRemediation>(said) }];
}

/** Undefined where any name may be one. */
function alertNames({ rules }: FilePart): readonly string[] | undefined {
  return rules?.map(({ alert }) => alert);
}

type Named = {
  readonly name: string;
  readonly id: string;
  readonly said: Readonly<Record<string, unknown>>;
};

/** Parts `{ ExchangeDisabled: BINANCE, state: firing }` into the name, the id, and the rest. */
function splitName(
  part: FilePart,
  schema: z.ZodType,
  names: readonly string[] | undefined,
): Named | undefined {
  const shape = shapeOf(part, schema);
  if (shape === undefined) return undefined;
  const { path, reporter } = part;
  const known = schemaKeys(schema);
  const said = shape as Readonly<Record<string, unknown>>;
  const others = Object.keys(said).filter((key) => !known.includes(key));
  const isName = (key: string): boolean => names?.includes(key) ?? true;
  for (const key of others) {
    if (isName(key)) continue;
    const details =
      names === ACTION_NAMES || others.length > 1
        ? unknownWord("test/unknown-key", "key", key, [...(names ?? []), ...known])
        : unknownAlert("test/unknown-alert", key, names ?? []);
    reporter.report([...path, key], details, "key");
  }
  const [name, ...more] = others.filter(isName);
  if (others.length === 0 || more.length > 0)
    reporter.report(path, {
      id: "test/expected",
      message: `this names ${more.length > 0 ? "more than one" : "none"} of what is expected`,
      hint: `write it as in { ${names?.[0] ?? "Alert"}: id, ${known[0] ?? ""}: … }`,
    });
  if (name === undefined) return undefined;
  const rest = Object.fromEntries(Object.entries(said).filter(([key]) => key !== name));
  return { name, id: String(said[name]), said: rest };
}

/** What was said, by its type: the schema has checked it. */
function withoutUndefined<Item>(said: Readonly<Record<string, unknown>>) {
  const entries = Object.entries(said).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Omit<Item, "alert" | "action" | "id">;
}
