import type { EntityId } from "../../domain/entity.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import type { Codec, ValueOf } from "../../io/api/codec.ts";
import { rulesAnswer } from "../../io/api/details/rules.ts";
import { explainAnswer } from "../../io/api/explain.ts";
import { formatInstant } from "../../domain/time.ts";
import { systemClock } from "../../io/process/clock.ts";
import { EXIT, missingIn, refuse, type CliCommand, type Refusal } from "../context.ts";
import { instantOption } from "../offline/instant.ts";
import { askDaemon, watchingOptions, withQuery, type WatchOptions } from "./client.ts";
import { printAll, type Lines } from "./print-answers.ts";
import { meantBy } from "./did-you-mean.ts";
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
    const { aggregator } = options;
    if (first === undefined)
      return refuse(context, { line: missingIn("explain", { ENTITY: first }) });
    const instant = instantOption("--at", options.at, systemClock().now());
    if (!instant.ok) return refuse(context, instant.problem, EXIT.usage);
    const found = await entityOf(second ?? first, aggregator, options, context);
    if (!found.ok)
      return refuse(context, second === undefined ? alone(found.problem) : found.problem);
    const { aggregator: named = aggregator, ...entity } = found.value;
    const at = instant.value === undefined ? undefined : formatInstant(instant.value);
    const askOf: Ask = async (path, answer) => await askDaemon({ path }, answer, options, context);
    const explain = async (rule: string): Promise<Result<Explained, string>> => {
      const asked = { rule, entity: written(entity), aggregator: named, at };
      return await askOf(withQuery("/api/v1/explain", asked), explainAnswer);
    };
    const judged = { ...entity, aggregator: named };
    const ask = async (): Promise<Printed> => {
      const made =
        second === undefined
          ? await explainAll(judged, askOf, explain)
          : printed(await explain(first));
      if (made.ok) return made;
      const meant = await meantBy({ id: "", ...found.value }, aggregator, options, context);
      const isOther = meant !== undefined && meant !== written(found.value);
      return isOther ? fail(`${made.problem}\ndid you mean "${meant}"?`) : made;
    };
    return printAll(ask, options, context);
  },
};

type Ask = <Value, Json>(
  path: string,
  answer: Codec<Value, Json>,
) => Promise<Result<Value, string>>;

type Explained = ValueOf<typeof explainAnswer>;

type Printed = Result<{ readonly lines: Lines; readonly json: unknown }, string>;

function printed(explained: Result<Explained, string>): Printed {
  if (!explained.ok) return explained;
  const { value } = explained;
  return succeed({ lines: value.sentences, json: explainAnswer.encode(value) });
}

/** Why a name that stands alone is no entity: it may be that of a rule. */
function alone(problem: string | Refusal): string | Refusal {
  return typeof problem === "string" ? `${problem}; a rule needs an entity behind it` : problem;
}

type Judged = Partial<Pick<EntityId, "kind">> & { readonly aggregator: string | undefined };

/** What every rule in force says of an entity, with an empty line between; as JSON, a list. */
async function explainAll(
  judged: Judged,
  ask: Ask,
  explain: (rule: string) => Promise<Result<Explained, string>>,
): Promise<Printed> {
  const known = await ask("/api/v1/rules?coverage=true", rulesAnswer);
  if (!known.ok) return known;
  const rules = known.value.rules.filter(({ coverage }) =>
    coverage.some((one) => isOf(one, judged)),
  );
  if (rules.length === 0) return fail(`no rule judges the kind "${judged.kind}"`);
  const all: Explained[] = [];
  for (const reply of await Promise.all(rules.map(async ({ alert }) => await explain(alert)))) {
    if (!reply.ok) return reply;
    all.push(reply.value);
  }
  return succeed({
    lines: all.flatMap(({ sentences }, index) => (index === 0 ? sentences : ["", ...sentences])),
    json: all.map((one) => explainAnswer.encode(one)),
  });
}

function isOf(
  covered: { readonly aggregator: string; readonly of: { readonly kind: string } },
  { kind, aggregator }: Judged,
): boolean {
  return covered.of.kind === kind && (aggregator ?? covered.aggregator) === covered.aggregator;
}
