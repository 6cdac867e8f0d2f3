import { watchedByFiles } from "./check-watch.ts";
import { compileProfile } from "../aggregator/profile.ts";
import { CONFIG_VARIABLE } from "../config/settings/environment.ts";
import { secretsOf } from "../config/settings/setting-entries.ts";
import { renderProblems } from "../config/problem.ts";
import {
  loadSettings,
  type AggregatorSettings,
  type Settings,
} from "../config/settings/settings.ts";
import { fail, type Result } from "../domain/result.ts";
import { systemClock } from "../io/process/clock.ts";
import { createClient, DEFAULT_CLIENT_SETTINGS } from "../io/aggregator/client.ts";
import { createRedactor, type Redactor } from "../io/redact/redactor.ts";
import { probe, type ProbeReport } from "../io/probe/probe.ts";
import { pollersByName } from "../pollers/index.ts";
import { EXIT, type CliCommand, type CliContext } from "./context.ts";
import { tellProbe, wireOfProbe } from "./probe-report.ts";
import { FILE_READER } from "./reader.ts";
import { authOf } from "../io/http/auth-of.ts";
import { openRoute } from "../io/http/route.ts";
import { wireCheck } from "./wire-check.ts";

type ProbeOptions = {
  readonly config?: string;
  readonly baseUrl?: string;
  readonly json?: boolean;
};

/** `aggwatch probe`: does a deployment speak as the wire profile says, and if not, what is to be set. */
export const probeCommand: CliCommand<ProbeOptions> = {
  name: "probe",
  describe: (command) =>
    command
      .description("Asks every read endpoint once, never a writing one, and says what to set.")
      .option("--config <file>", "the config file (default: AGGWATCH_CONFIG, or none)")
      .option("--base-url <url>", "the aggregator's address; alone it is enough")
      .option("--json", "print one JSON document"),
  run: async (options, context) => {
    const settings = readSettings(options, context);
    if (!settings.ok) {
      context.complain(settings.problem);
      return EXIT.problem;
    }
    const reports: Array<{ readonly name: string; readonly report: ProbeReport }> = [];
    for (const aggregator of settings.value.aggregators) {
      const redactor = createRedactor(secretsOf(settings.value));
      const report = await probeOne(aggregator, redactor, context.signal);
      reports.push({ name: aggregator.name, report });
      if (options.json !== true)
        for (const line of tellProbe(aggregator, report)) context.print(line);
    }
    if (options.json === true) context.print(JSON.stringify(wireOfProbe(reports), null, 2));
    const isRight = reports.every(({ report }) => report.pollers.every(({ ok }) => ok));
    return isRight ? EXIT.ok : EXIT.problem;
  },
};

function readSettings(options: ProbeOptions, { env }: CliContext): Result<Settings, string> {
  const path = options.config ?? env[CONFIG_VARIABLE];
  const text = path === undefined || path === "" ? undefined : FILE_READER.readText(path);
  if (text?.ok === false) return fail(`${path}: the config file cannot be read: ${text.problem}`);
  const loaded = loadSettings({
    ...(text === undefined ? {} : { file: { name: path ?? "", text: text.value } }),
    env,
    flags: { "base-url": options.baseUrl },
    readText: FILE_READER.readText,
    checks: [wireCheck],
  });
  return loaded.ok ? loaded : fail(renderProblems(loaded.problem));
}

async function probeOne(
  settings: AggregatorSettings,
  redactor: Redactor,
  signal: AbortSignal,
): Promise<ProbeReport> {
  const { wire, baseUrl, auth, route, rate, timeouts, maxBodyBytes, statuses } = settings;
  const profile = compileProfile(wire);
  // The settings' own check has compiled it already, so a problem here is a bug.
  if (!profile.ok) throw new Error(`the wire profile of ${settings.name} was not checked`);
  const clock = systemClock();
  // The acting credential is not needed, and therefore not there.
  const credentials = { read: authOf(auth.read), act: { type: "none" } as const };
  const client = createClient({
    settings: {
      ...DEFAULT_CLIENT_SETTINGS,
      baseUrl,
      auth: credentials,
      route: openRoute(route),
      rate,
      timeouts,
      maxBodyBytes,
    },
    profile: profile.value,
    clock,
    random: Math.random,
    redactor,
  });
  try {
    return await probe(
      {
        pollers: settings.pollers.flatMap(({ name }) => pollersByName.get(name) ?? []),
        watch: watchedByFiles(settings).watch,
        statuses,
      },
      { client, profile: profile.value, clock, signal },
    );
  } finally {
    client.close();
  }
}
