import { z } from "zod";
import type { Scope } from "../../../config/settings/tokens.ts";
import { ALERT_STATES } from "../../../domain/alert.ts";
import { TRUTHS } from "../../../domain/rule.ts";
import { DAY, parseDuration } from "../../../domain/time.ts";
import { meant, meantAll } from "../../../domain/shown/lookalike.ts";

/**
 * The tools for agents: each makes one call of the API. Only people approve, deny and release, so there is no tool for
 * that, whatever a token allows.
 */

/** A call of the API, with the caller's token. */
export type ApiCall = {
  readonly method: "GET" | "POST" | "DELETE";
  /** With the query. */
  readonly path: string;
  readonly body?: object;
  /** The call needs the token, although it only reads. */
  readonly showsToken?: true;
};

export type Tool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The scope without which the tool is not offered; undefined if its call needs no token. */
  readonly needs?: Scope;
  readonly isReadOnly: boolean;
  readonly input: z.ZodObject;
  readonly call: (input: ToolInput) => ApiCall;
};

/** Valid by the tool's own schema. */
export type ToolInput = Readonly<Record<string, string | number | undefined>>;

const word = (means: string) => z.string().min(1).max(300).describe(means);

const entity = (means: string) => z.string().min(3).max(600).describe(means);

const ONE_ENTITY = "KIND/ID, such as exchange/BINANCE, or AGGREGATOR/KIND/ID.";

const ruleFile = z.string().min(1).max(12_000);

const BACKTEST = "/api/v1/backtest";

const limit = z.number().int().min(1).max(100).default(20).describe("The most rows.");

const instant = (means: string) =>
  z.iso.datetime({ offset: true }).describe(`${means}, such as 2026-01-31T12:00:00Z`);

type Reading = Pick<Tool, "name" | "title" | "description"> & {
  readonly path: string;
  readonly input: z.ZodRawShape;
};

function reading({ path, input, ...described }: Reading): Tool {
  return {
    ...described,
    isReadOnly: true,
    input: z.strictObject(input),
    call: (given) => ({ method: "GET", path: `${path}${queryOf(given)}` }),
  };
}

function queryOf(input: ToolInput): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input))
    if (value !== undefined) query.set(name, meant(String(value)));
  return query.size === 0 ? "" : `?${query.toString()}`;
}

/** A hold or a silence of an agent never covers everything, nor lasts long: an agent may be misled. */
function overriding(name: "hold" | "silence", description: string): Tool {
  const input = z
    .strictObject({
      rule: word("Under this rule only.").optional(),
      aggregator: word("On this aggregator only.").optional(),
      kind: word("Of this kind, such as exchange.").optional(),
      id: word("The entity of that kind, such as BINANCE; with what belongs to it.").optional(),
      for: z
        .string()
        .refine((text) => isShort(text), "must be a duration such as 30m or 2h, at most 24h")
        .describe("How long, such as 30m or 2h; at most 24h."),
      reason: z.string().min(1).max(500).describe("Why, for people. It is kept in the journal."),
    })
    .refine(({ rule, id }) => rule !== undefined || id !== undefined, {
      error: "must name a rule or an entity (kind and id)",
    });
  return {
    name,
    title: name === "hold" ? "Hold repairs" : "Silence notifications",
    description,
    needs: "hold",
    isReadOnly: false,
    input,
    call: ({ for: length, reason, ...scope }) => ({
      method: "POST",
      path: `/api/v1/${name}s`,
      body: { scope: meantAll(scope), for: length, reason },
    }),
  };
}

function isShort(text: string): boolean {
  const length = parseDuration(text);
  return length !== undefined && length > 0 && length <= DAY;
}

export const TOOLS: readonly Tool[] = [
  reading({
    name: "status",
    title: "Status",
    description:
      "The verdict, what waits for a person, alerts by rule, pollers, channels, holds, and the kill switch. Begin here.",
    path: "/api/v1/overview",
    input: {},
  }),
  reading({
    name: "alerts",
    title: "Alerts",
    description: "Alerts, the worst first: what fires, is pending or has resolved, and since when.",
    path: "/api/v1/alerts",
    input: {
      state: z.enum(ALERT_STATES).optional(),
      alertname: word("The rule.").optional(),
      aggregator: word("The aggregator.").optional(),
      kind: word("The kind of entity.").optional(),
      entity: entity(ONE_ENTITY).optional(),
      text: word("Words that must all be in its key or its texts.").optional(),
      at: instant("As of this instant").optional(),
      limit,
    },
  }),
  reading({
    name: "entities",
    title: "Entities",
    description: "What is watched, with facts: exchanges, pairs, pools, swaps, orders and others.",
    path: "/api/v1/entities",
    input: {
      kind: word("The kind, such as exchange.").optional(),
      aggregator: word("The aggregator.").optional(),
      condition: z.enum(TRUTHS).optional(),
      status: word("Its status, such as disabled.").optional(),
      text: word("Words that must all be in its key or its facts.").optional(),
      limit,
    },
  }),
  reading({
    name: "explain",
    title: "Explain",
    description:
      "Why an alert of a rule on an entity is in its state, and why it was or was not repaired.",
    path: "/api/v1/explain",
    input: {
      rule: word("The rule, such as ExchangeDisabled."),
      entity: entity(ONE_ENTITY),
      aggregator: word("Needed if several are watched and the entity does not name it.").optional(),
      at: instant("As of this instant").optional(),
    },
  }),
  reading({
    name: "timeline",
    title: "Timeline",
    description:
      "What happened, the newest first: alerts, repairs and why none, commands, restarts.",
    path: "/api/v1/timeline",
    input: {
      from: instant("Since; a day before `until` by default").optional(),
      until: instant("Until; now by default").optional(),
      alertname: word("About this rule.").optional(),
      entity: entity(ONE_ENTITY).optional(),
      text: word("Words that must all be in it.").optional(),
      limit,
    },
  }),
  {
    name: "try_rule",
    title: "Try a rule",
    description:
      "Tries a rule file (YAML) on all that is known now: every problem, or what it would find bad and what guards would say. Nothing is kept, and nothing comes of it.",
    needs: "read",
    isReadOnly: true,
    input: z.strictObject({ rules: ruleFile.describe("The rule file.") }),
    call: (body) => ({ method: "POST", path: "/api/v1/try-rule", body }),
  },
  {
    name: "backtest",
    title: "Backtest a rule",
    description:
      "Replays at most seven days of the record with a rule file, or with the rules in force: what would have fired and been repaired, beside what really was. One at a time; nothing is kept or sent. `backtest_result` has the result.",
    needs: "read",
    isReadOnly: true,
    input: z.strictObject({
      since: instant("From"),
      until: instant("Until; now by default").optional(),
      rules: ruleFile.describe("The rule file; the rules in force by default.").optional(),
    }),
    call: (body) => ({ method: "POST", path: BACKTEST, body }),
  },
  {
    name: "backtest_result",
    title: "Result of the backtest",
    description:
      "The progress of the backtest, and once it is done, the differences from what really happened.",
    needs: "read",
    isReadOnly: true,
    input: z.strictObject({}),
    call: () => ({ method: "GET", path: BACKTEST, showsToken: true }),
  },
  {
    name: "backtest_cancel",
    title: "Cancel the backtest",
    description: "Ends the running backtest, whoever began it.",
    needs: "read",
    isReadOnly: false,
    input: z.strictObject({}),
    call: () => ({ method: "DELETE", path: BACKTEST }),
  },
  overriding("hold", "Stops repairs of an entity, or under a rule, for a while. Alerts go on."),
  overriding(
    "silence",
    "Sends no notifications about an entity, or a rule, for a while. Alerts go on.",
  ),
];
