import { pino, type Logger, type LevelWithSilent } from "pino";
import { prettyFactory } from "pino-pretty";
import type { Json } from "../../domain/result.ts";
import { REDACTED } from "../../domain/wording.ts";
import { mapTexts, type Redactor } from "../redact/redactor.ts";
import { messageOf } from "../../domain/error-message.ts";

export type { Logger } from "pino";

/** `auto` is pretty on a terminal and JSON elsewhere. */
export type LogFormat = "auto" | "json" | "pretty";

export type LogSettings = { readonly level: LevelWithSilent; readonly format: LogFormat };

/** What the log is written to. */
export type LogOutput = { readonly isTerminal: boolean; readonly isColoured?: boolean };

/** The values of these fields are not written, at the top or one level below. */
const SECRET_FIELDS = [
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

const NO_SECRETS: Pick<Redactor, "redactOwn"> = { redactOwn: (text) => text };

/** Whether the log is for people; JSON is for programs. */
export function isPretty({ format }: Pick<LogSettings, "format">, isTerminal: boolean): boolean {
  return format === "pretty" || (format === "auto" && isTerminal);
}

/** Structured logs: a constant message, and fields in the words of the metrics. */
export function createLog(
  settings: LogSettings,
  { isTerminal, isColoured = false }: LogOutput,
  write: (line: string) => void,
  redactor: Pick<Redactor, "redactOwn"> = NO_SECRETS,
): Logger {
  const options = {
    level: settings.level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: SECRET_FIELDS, censor: REDACTED },
    serializers: { err: errorFields },
  };
  const shown = (line: string): string => withoutSecrets(line, redactor);
  if (!isPretty(settings, isTerminal))
    return pino(options, { write: (line: string) => write(shown(line).trimEnd()) });
  const format = prettyFactory({
    colorize: isColoured,
    translateTime: "UTC:HH:MM:ss'Z'",
    ignore: "pid,hostname",
    singleLine: true,
  });
  return pino(options, { write: (line: string) => write(format(shown(line)).trimEnd()) });
}

/** Texts from elsewhere are redacted before; this is for the texts of libraries. */
function withoutSecrets(line: string, { redactOwn }: Pick<Redactor, "redactOwn">): string {
  if (redactOwn(line) === line) return line;
  return `${JSON.stringify(mapTexts(JSON.parse(line) as Json, redactOwn))}\n`;
}

/**
 * The fields of an error that are written: type, message and stack. Others stay out, because those of an HTTP library
 * hold whole requests, with credentials.
 */
function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, stack } = error;
  return { type: name, message: messageOf(error), stack };
}
