import * as z from "zod";
import { COMMANDS } from "./control.ts";
import { FAULT_MEANS, faultPlan } from "../routes/faults.ts";
import { worldPlanSchema, type WorldPlan } from "../model/world-plan.ts";

/** The format of scenarios, told by what they are checked with: for docs/scenarios.md and editors. */

const WORLD_MEANS: Readonly<Record<keyof WorldPlan, string>> = {
  network: "The network that this instance serves: the target of its swaps.",
  exchanges: "The exchanges, each with its pairs; without `pairs` it trades all.",
  pairs: "The asset pairs of the platform, each with its price in the quote asset.",
  pools: "The pools, with their reserves in units of the two assets.",
  senders: "Addresses that swap now and then where there is background.",
  liquidations: "Liquidation orders that are there at the start.",
  brokers: "Brokers, with what they can deliver by asset.",
  background: "Orders, trades and swaps of other people come by themselves.",
  repeated_toggle: "What a toggle answers where the thing is already so: 200, or 409.",
  needs_source_lock: "A lock order is refused until its lock was seen on the source chain.",
};

/** The keys of `world`, as a table in Markdown. */
export function describeWorldKeys(): string {
  const rows = Object.entries(WORLD_MEANS).map(([key, means]) => {
    const fields = fieldsOf(worldPlanSchema.shape[key as keyof WorldPlan]);
    return [`\`${key}\``, fields.map((field) => `\`${field}\``).join(" "), means];
  });
  return table(["key", "each with", ""], rows);
}

/** The commands of a step. */
export function describeCommands(): string {
  const rows = COMMANDS.map(({ name, fields, means }) => [
    `\`${name}\``,
    fields.map((field) => `\`${field}\``).join(" "),
    means,
  ]);
  return table(["`do`", "beside it", ""], rows);
}

/** The faults that `set_fault` puts upon an endpoint. */
export function describeFaults(): string {
  const rows = faultPlan.options.map((option) => {
    const { kind, ...fields } = option.shape;
    const names = Object.entries(fields).map(([name, schema]) => `\`${optional(name, schema)}\``);
    return [`\`${kind.value}\``, names.join(" "), FAULT_MEANS[kind.value]];
  });
  return table(["`kind`", "beside it", ""], rows);
}

/** The JSON Schema of a scenario, for editors. */
export function scenarioJsonSchema(): Readonly<Record<string, unknown>> {
  const timed = {
    at: { type: ["string", "integer"], description: "When, since the start: 90s, 1m30s, or 0." },
    say: { type: "string", maxLength: 1_000, description: "What it tells people." },
  };
  const sayOnly = {
    type: "object",
    properties: timed,
    required: ["at", "say"],
    additionalProperties: false,
  };
  const steps = COMMANDS.map(({ means, schema }) => {
    const own = jsonOf(schema) as { readonly properties: object; readonly required: string[] };
    return {
      ...own,
      description: means,
      properties: { ...timed, ...own.properties },
      required: ["at", ...own.required],
    };
  });
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "A scenario of the simulated aggregator",
    type: "object",
    properties: {
      name: { type: "string", minLength: 1, maxLength: 200 },
      seed: { type: "integer", minimum: 0 },
      world: jsonOf(worldPlanSchema),
      steps: { type: "array", maxItems: 10_000, items: { anyOf: [...steps, sayOnly] } },
    },
    required: ["name"],
    additionalProperties: false,
  };
}

function jsonOf(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    target: "draft-7",
    unrepresentable: "any",
  });
  return rest;
}

/** The fields of each entry of a list; none where it is a plain value. */
function fieldsOf(schema: unknown): string[] {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodArray)
    inner = inner instanceof z.ZodOptional ? inner.unwrap() : inner.element;
  if (!(inner instanceof z.ZodObject)) return [];
  const shape = inner.shape as Readonly<Record<string, z.ZodType>>;
  return Object.entries(shape).map(([name, field]) => optional(name, field));
}

function optional(name: string, schema: z.ZodType): string {
  return z.safeParse(schema, undefined).success ? `${name}?` : name;
}

function table(heads: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const all = [heads, heads.map(() => "---"), ...rows];
  return all.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
