import { explainAnswer } from "../../io/api/explain.ts";
import { formatInstant } from "../../domain/time.ts";
import { systemClock } from "../../io/process/clock.ts";
import { EXIT, refuse, type CliCommand } from "../context.ts";
import { instantOption } from "../offline/instant.ts";
import { askAndPrint, watchingOptions, withQuery, type WatchOptions } from "./client.ts";
import { entityOf, written } from "./target.ts";

type ExplainOptions = WatchOptions & { readonly aggregator?: string; readonly at?: string };

/** `aggwatch explain RULE ENTITY`: why an alert is in its state, why an action was or was not sent. */
export const explainCommand: CliCommand<ExplainOptions> = {
  name: "explain",
  describe: (command) =>
    watchingOptions(command)
      .description("Why an alert is in its state, and why an action was or was not sent.")
      .argument("<rule>", "the rule, such as ExchangeDisabled")
      .argument(
        "<entity>",
        "as alerts print it, or kind/id, such as exchange/BINANCE; an alias stands for the id",
      )
      .option("--aggregator <name>", "the entity's aggregator; needed if several are watched")
      .option(
        "--at <when>",
        "as of a past instant, such as 2026-01-31T12:00:00Z, or how long ago, such as 30s",
      ),
  run: async (options, context, [rule = "", given = ""]) => {
    const { aggregator } = options;
    const instant = instantOption("--at", options.at, systemClock().now());
    if (!instant.ok) return refuse(context, instant.problem, EXIT.usage);
    const found = await entityOf(given, aggregator, options, context);
    if (!found.ok) return refuse(context, found.problem);
    const { aggregator: named = aggregator, ...entity } = found.value;
    const at = instant.value === undefined ? undefined : formatInstant(instant.value);
    const path = withQuery("/api/v1/explain", {
      rule,
      entity: written(entity),
      aggregator: named,
      at,
    });
    return await askAndPrint(
      { path },
      explainAnswer,
      options,
      context,
      ({ sentences }) => sentences,
    );
  },
};
