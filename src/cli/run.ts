import { withoutIgnored } from "../config/config-lints.ts";
import { variableHint } from "../config/settings/environment.ts";
import { createLog, isPretty, type Logger } from "../io/process/log.ts";
import { systemClock } from "../io/process/clock.ts";
import { messageOf } from "../domain/error-message.ts";
import { startLoopGuard, type LoopGuard } from "../io/process/loop-guard.ts";
import type { WatchdogSetup } from "../run/setup.ts";
import { createRedactor } from "../io/redact/redactor.ts";
import { RefusedStart } from "../run/service/running.ts";
import { startWatchdog } from "../run/watchdog.ts";
import { urlProblem } from "../schema/url.ts";
import { CONFIG_OPTION } from "./config-path.ts";
import { EXIT, refuse, untilAborted, type CliCommand, type CliContext } from "./context.ts";
import { RULES_OPTION } from "./load.ts";
import { packageVersion } from "./package-version.ts";
import { setupOf } from "./setup-of.ts";
import { openSources } from "./sources.ts";

type RunOptions = {
  readonly config?: string;
  readonly rules?: string;
  readonly data?: string;
  readonly listen?: string;
};

/** `aggwatch run`: the daemon. It ends on SIGTERM or SIGINT, within five seconds. */
export const runCommand: CliCommand<RunOptions> = {
  name: "run",
  describe: (command) =>
    command
      .description("Watches: polls, judges, repairs what a rule may repair, and exports metrics.")
      .option(...CONFIG_OPTION)
      .option(...RULES_OPTION)
      .option(
        "--data <directory>",
        "the directory of the journal (default: AGGWATCH_DATA, the config's, or ./data)",
      )
      .option("--listen <host:port>", "where /metrics, the page and the API are served"),
  hint: (option) => {
    const meant = option === undefined ? undefined : variableHint(option);
    const which = meant === undefined ? " such as AGGWATCH_ACTIONS_MODE" : `: ${meant}`;
    return `the rest is set in the config file, or by variables${which}`;
  },
  run: async (options, context) => {
    const { nodeVersion } = context;
    // A SIGHUP during the start must not end the process: everything is being read anyway.
    context.onHangup(() => undefined);
    const redactor = createRedactor();
    let log: Logger | undefined;
    const opened = openSources(
      {
        config: options.config,
        env: context.env,
        flags: { rules: options.rules, data: options.data, listen: options.listen },
      },
      (settings, rules) => {
        const { print, output, isTerminal } = context;
        const write = isPretty(settings.log, isTerminal) ? print : output;
        log ??= createLog(settings.log, context, write, redactor);
        const { left: warnings } = withoutIgnored(settings.warnings, settings.ignores);
        for (const { file, line, column, message, hint } of warnings)
          log.warn({ place: line > 0 ? `${file}:${line}:${column}` : file, hint }, message);
        return setupOf(settings, rules, { log, redactor, version: packageVersion(), nodeVersion });
      },
      context.onHangup,
    );
    if (!opened.ok) return refuse(context, opened.problem);
    const { sources } = opened.value;
    const setup = await withTracing(opened.value.setup, context.env);
    const guard = guardOf(setup, context);
    const { signal } = context;
    return watch(await startWatchdog(setup, { sources, guard, signal }), setup.log, context);
  },
};

/** The standard variable of OpenTelemetry; the config takes precedence. */
const OTLP_VARIABLE = "OTEL_EXPORTER_OTLP_ENDPOINT";

async function withTracing(setup: WatchdogSetup, env: CliContext["env"]): Promise<WatchdogSetup> {
  const endpoint = setup.settings.tracing.otlp.endpoint ?? env[OTLP_VARIABLE] ?? "";
  if (endpoint === "") return setup;
  const [problem] = urlProblem(endpoint);
  if (problem !== undefined) {
    const hint = "for example http://127.0.0.1:4318";
    setup.log.warn({ hint }, `nothing is traced: ${OTLP_VARIABLE} ${problem}`);
    return setup;
  }
  const { openTracing } = await import("../io/tracing/open-tracing.ts");
  const tracing = await openTracing(endpoint, {
    version: setup.version,
    clock: systemClock(0),
    log: setup.log,
  });
  return { ...setup, tracing };
}

/** A loop that is stuck for too long ends the process. */
function guardOf(
  { settings: { stuckAfterMs, log } }: WatchdogSetup,
  { guardEntry: entry, isTerminal }: CliContext,
): LoopGuard | undefined {
  if (stuckAfterMs === 0 || entry === undefined) return undefined;
  const format = isPretty(log, isTerminal) ? "text" : "json";
  const last = { descriptor: STANDARD_OUTPUT, format } as const;
  return startLoopGuard({ entry, stuckAfterMs, last });
}

function whyBroken(bug: unknown): string {
  return bug instanceof RefusedStart ? bug.message : `a bug in the core: ${messageOf(bug)}`;
}

/** The descriptor that the log is written to. */
const STANDARD_OUTPUT = 1;

async function watch(
  started: Awaited<ReturnType<typeof startWatchdog>>,
  log: Logger,
  context: CliContext,
): Promise<number> {
  if (!started.ok) {
    if (context.signal.aborted) return EXIT.ok;
    return refuse(context, `aggwatch cannot start: ${started.problem}`);
  }
  const watchdog = started.value;
  const bug = await Promise.race([watchdog.broken, untilAborted(context.signal)]);
  const { reason } = context.signal;
  const why = typeof reason === "string" ? reason : whyBroken(bug);
  log.info({ why }, "ending: no more polls and actions; what is under way gets a moment");
  await watchdog.stop();
  log.info("ended");
  if (bug === undefined) return EXIT.ok;
  if (bug instanceof RefusedStart) return refuse(context, `aggwatch cannot start: ${bug.message}`);
  return refuse(
    context,
    `aggwatch gave up because of a bug in its core: ${messageOf(bug)}`,
    EXIT.bug,
  );
}
