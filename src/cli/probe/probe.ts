import { watchedByFiles } from "../check-watch.ts";
import { distinctProblems, renderProblems } from "../../config/problem.ts";
import { secretsOf } from "../../config/settings/setting-entries.ts";
import type { AggregatorSettings } from "../../config/settings/resolve-aggregator.ts";
import { systemClock } from "../../io/process/clock.ts";
import { createClient } from "../../io/aggregator/client.ts";
import { createRedactor, type Redactor } from "../../io/redact/redactor.ts";
import { isRight, probe, type ProbeReport } from "../../io/probe/probe.ts";
import { pollersByName } from "../../pollers/index.ts";
import { policyOf } from "../../run/setup.ts";
import { CONFIG_OPTION, configPath } from "../config-path.ts";
import { EXIT, interruptedBy, refuse, type CliCommand, type CliContext } from "../context.ts";
import { loadAll, RULES_OPTION, type Loaded } from "../load.ts";
import { probeLines, probeJson } from "./report.ts";
import { aggregatorSetup, profileAt } from "../setup-of.ts";
import { writeProblem, writeSuggested, type ProbedAggregator, type WriteOptions } from "./write.ts";

type ProbeOptions = {
  readonly config?: string;
  readonly baseUrl?: string;
  readonly rules?: string;
  readonly json?: boolean;
  readonly write?: string;
  readonly force?: boolean;
};

/** `aggwatch probe`: whether a deployment speaks as the wire profile says, and if not, what to set. */
export const probeCommand: CliCommand<ProbeOptions> = {
  name: "probe",
  describe: (command) =>
    command
      .description(
        "Asks every read endpoint once, never a writing one; says what to set, and what rules can judge.",
      )
      .option(...CONFIG_OPTION)
      .option("--base-url <url>", "the aggregator's address; with it, no config is needed")
      .option(...RULES_OPTION)
      .option("--json", "print one JSON document")
      .option("--write <file>", "write the config with all that is suggested, with comments")
      .option("--force", "overwrite a file even if no probe has written it"),
  run: async (options, context) => {
    if (options.force === true && options.write === undefined)
      return refuse(context, "--force is about the file of --write", EXIT.usage);
    const loaded = loadAll({
      config: options.config,
      env: context.env,
      flags: { "base-url": options.baseUrl, rules: options.rules },
    });
    if (!loaded.ok) return refuse(context, loaded.problem);
    const write = writeOptions(options, context);
    const problem = write && writeProblem(write);
    if (problem !== undefined) return refuse(context, problem);
    const { aggregators } = loaded.value.settings;
    const problems = aggregators.flatMap((one) => watchedByFiles(one).problems);
    if (problems.length > 0) return refuse(context, renderProblems(distinctProblems(problems)));
    const redactor = createRedactor(secretsOf(loaded.value.settings));
    const reports: ProbedAggregator[] = [];
    for (const aggregator of aggregators) {
      const report = await probeOne(aggregator, loaded.value, redactor, context.signal);
      // Endpoints not yet asked would be taken for missing ones, and --write would write that.
      if (context.signal.aborted) return refuse(context, interruptedBy(context));
      reports.push({ name: aggregator.name, baseUrl: aggregator.baseUrl, report });
      if (options.json !== true)
        context.print(probeLines(aggregator, report, context.width).join("\n"));
    }
    if (options.json === true) context.output(JSON.stringify(probeJson(reports), null, 2));
    const written = write && writeSuggested(write, reports);
    if (written !== undefined) context.complain(written.ok ? written.value : written.problem);
    const isWell = written?.ok !== false && reports.every(({ report }) => isRight(report));
    return isWell ? EXIT.ok : EXIT.problem;
  },
};

function writeOptions(options: ProbeOptions, { env }: CliContext): WriteOptions | undefined {
  if (options.write === undefined) return undefined;
  return {
    file: options.write,
    force: options.force === true,
    config: configPath(options.config, env),
    baseUrl: options.baseUrl,
    env,
  };
}

async function probeOne(
  settings: AggregatorSettings,
  { rules, settings: { actions, limits } }: Loaded,
  redactor: Redactor,
  signal: AbortSignal,
): Promise<ProbeReport> {
  const { watch } = watchedByFiles(settings);
  const setup = { ...aggregatorSetup(settings), watch };
  const { name, profile, statuses } = setup;
  const clock = systemClock();
  const client = createClient({
    settings: {
      ...setup.client,
      // The acting credential is not needed, and therefore not there.
      auth: { ...setup.client.auth, act: { type: "none" } },
    },
    profile,
    clock,
    random: Math.random,
    redactor,
  });
  try {
    return await probe(
      {
        pollers: setup.pollers.flatMap((own) => pollersByName.get(own.name) ?? []),
        watch,
        hasHttpLists: settings.watchSources.http.length > 0,
        statuses,
        aggregator: name,
        policy: policyOf({ aggregators: [setup], rules, settings: { actions, limits } }),
      },
      {
        client,
        profile,
        profileAt: (apiPrefix) => profileAt(settings, apiPrefix),
        clock,
        signal,
      },
    );
  } finally {
    client.close();
  }
}
