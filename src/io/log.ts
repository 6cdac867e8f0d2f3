import { pino, type Logger, type LevelWithSilent } from "pino";
import { PinoPretty } from "pino-pretty";

export type { Logger } from "pino";

/** `auto` is pretty on a terminal and JSON elsewhere. */
export type LogFormat = "auto" | "json" | "pretty";

export type LogSettings = { readonly level: LevelWithSilent; readonly format: LogFormat };

/** Wherever a field of such a name ends up in a log call, its value is not written. */
const REDACTED = [
  "authorization",
  "*.authorization",
  "headers.*",
  "*.headers.*",
  "password",
  "*.password",
  "token",
  "*.token",
  "secret",
  "*.secret",
];

/** Structured logs: a constant message, and fields in the words of the metrics. */
export function createLog(
  settings: LogSettings,
  isTerminal: boolean,
  write: (line: string) => void,
): Logger {
  const pretty = settings.format === "pretty" || (settings.format === "auto" && isTerminal);
  const options = {
    level: settings.level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: REDACTED, censor: "[redacted]" },
  };
  if (!pretty) return pino(options, { write: (line: string) => write(line.trimEnd()) });
  const stream = PinoPretty({
    colorize: isTerminal,
    translateTime: "SYS:HH:MM:ss",
    ignore: "pid,hostname",
    singleLine: true,
    sync: true,
    destination: {
      write: (line: string) => {
        write(line.trimEnd());
        return true;
      },
    } as never,
  });
  return pino(options, stream);
}
