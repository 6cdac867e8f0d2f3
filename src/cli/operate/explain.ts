import { explainAnswer } from "../../io/api/explain.ts";
import type { CliCommand } from "../context.ts";
import { askAndPrint, readingOptions, withQuery, type ClientOptions } from "./client.ts";

type ExplainOptions = ClientOptions & { readonly aggregator?: string; readonly at?: string };

/** `aggwatch explain RULE ENTITY`: why an alert is in its state, why an action was or was not sent. */
export const explainCommand: CliCommand<ExplainOptions> = {
  name: "explain",
  describe: (command) =>
    readingOptions(command)
      .description("Why an alert is in its state, and why an action was or was not sent.")
      .argument("<rule>", "the rule, as ExchangeDisabled")
      .argument("<entity>", "kind/id, as exchange/BINANCE")
      .option("--aggregator <name>", "whose entity; needed if several are watched")
      .option("--at <instant>", "as of an instant that is past, as 2026-01-31T12:00:00Z"),
  run: (options, context, [rule = "", entity = ""]) => {
    const { aggregator, at } = options;
    const path = withQuery("/api/v1/explain", { rule, entity, aggregator, at });
    return askAndPrint(
      { method: "GET", path },
      explainAnswer,
      options,
      context,
      ({ sentences }) => sentences,
    );
  },
};
