import type { EntityId } from "../../domain/entity.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { rulesAnswer } from "../../io/api/details/rules.ts";
import { explainAnswer } from "../../io/api/explain.ts";
import { formatInstant } from "../../domain/time.ts";
import { systemClock } from "../../io/process/clock.ts";
import {
  EXIT,
  missingIn,
  refuse,
  type CliCommand,
  type CliContext,
  type Refusal,
} from "../context.ts";
import { instantOption } from "../offline/instant.ts";
import { askAndPrint, askDaemon, watchingOptions, withQuery, type WatchOptions } from "./client.ts";
import { printAll, type Lines } from "./print-answers.ts";
import { written } from "./entity-name.ts";
import { entityOf } from "./target.ts";

type ExplainOptions = WatchOptions & { readonly aggregator?: string; readonly at?: string };

/** `aggwatch explain [RULE] ENTITY`: why an alert is in its state, why an action was or was not sent. */
export const explainCommand: CliCommand<ExplainOptions> = {
  name: "explain",
  describe: (command) =>
    watchingOptions(command)
      .description("Why an alert is in its state, and why an action was or was not sent.")
      .usage("[options] [rule] <entity>")
      .argument(
        "[rule]",
        "the rule, such as ExchangeDisabled; all that judge the entity by default",
      )
      .argument(
        "[entity]",
        "as alerts print it, or kind/id, such as exchange/BINANCE; an alias stands for the id",
      )
      .option("--aggregator <name>", "the entity's aggregator; needed if several are watched")
      .option(
        "--at <when>",
        "as of a past instant, such as 2026-01-31T12:00:00Z, or how long ago, such as 30s",
      ),
  run: async (options, context, [first, second]) => {
    const { aggregator, json } = options;
    if (first === undefined)
      return refuse(context, { line: missingIn("explain", { ENTITY: first }) });
    const instant = instantOption("--at", options.at, systemClock().now());
    if (!instant.ok) return refuse(context, instant.problem, EXIT.usage);
    if (second === undefined && json === true)
      return refuse(context, { line: ["--json explains one rule of an entity: name both"] });
    const found = await entityOf(second ?? first, aggregator, options, context);
    if (!found.ok)
      return refuse(context, second === undefined ? alone(found.problem) : found.problem);
    const { aggregator: named = aggregator, ...entity } = found.value;
    const at = instant.value === undefined ? undefined : formatInstant(instant.value);
    const pathOf = (rule: string): string =>
      withQuery("/api/v1/explain", { rule, entity: written(entity), aggregator: named, at });
    if (second === undefined) {
      const judged = { ...entity, aggregator: named };
      return printAll(() => explainAll(judged, pathOf, options, context), options, context);
    }
    const call = { path: pathOf(first) };
    return askAndPrint(call, explainAnswer, options, context, ({ sentences }) => sentences);
  },
};

/** Why a name that stands alone is no entity: it may be that of a rule. */
function alone(problem: string | Refusal): string | Refusal {
  return typeof problem === "string" ? `${problem}; a rule needs an entity behind it` : problem;
}

type Judged = Partial<Pick<EntityId, "kind">> & { readonly aggregator: string | undefined };

/** What every rule in force says of an entity, with an empty line between. */
async function explainAll(
  judged: Judged,
  pathOf: (rule: string) => string,
  options: ExplainOptions,
  context: CliContext,
): Promise<Result<{ readonly lines: Lines }, string>> {
  const known = await askDaemon(
    { path: "/api/v1/rules?coverage=true" },
    rulesAnswer,
    options,
    context,
  );
  if (!known.ok) return known;
  const rules = known.value.rules.filter(({ coverage }) =>
    coverage.some((one) => isOf(one, judged)),
  );
  if (rules.length === 0) return fail(`no rule judges the kind "${judged.kind}"`);
  const replies = await Promise.all(
    rules.map(async ({ alert: rule }) =>
      askDaemon({ path: pathOf(rule) }, explainAnswer, options, context),
    ),
  );
  const failed = replies.find(({ ok }) => !ok);
  if (failed?.ok === false) return failed;
  const said = replies.flatMap((reply) => (reply.ok ? [reply.value.sentences] : []));
  return succeed({ lines: said.flatMap((one, index) => (index === 0 ? one : ["", ...one])) });
}

function isOf(
  covered: { readonly aggregator: string; readonly of: { readonly kind: string } },
  { kind, aggregator }: Judged,
): boolean {
  return covered.of.kind === kind && (aggregator ?? covered.aggregator) === covered.aggregator;
}
