import type { LabelValues } from "./labels.ts";

/**
 * The two text formats that Prometheus reads: its own, version 0.0.4, and OpenMetrics 1.0. A sample's line is the same
 * in both, except for the bounds of buckets; the head of a family and the end of a page differ.
 */
export const FORMATS = ["prometheus", "openmetrics"] as const;
export type Format = (typeof FORMATS)[number];

export const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  prometheus: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/** Text in UTF-8, as it is sent. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** Units at the end of a name, for which OpenMetrics requires a UNIT line. */
const UNITS = ["seconds", "bytes"];

/** The lines before a family's samples. */
export function headOf(
  format: Format,
  { name, help, type }: { readonly name: string; readonly help: string; readonly type: string },
): string {
  if (format === "prometheus") {
    return `# HELP ${name} ${escapeLines(help)}\n# TYPE ${name} ${type}\n`;
  }
  // A counter's samples have the suffix; its family does not.
  const family = type === "counter" ? name.replace(/_total$/, "") : name;
  const unit = UNITS.find((one) => family.endsWith(`_${one}`));
  return [
    `# TYPE ${family} ${type}\n`,
    ...(unit === undefined ? [] : [`# UNIT ${family} ${unit}\n`]),
    `# HELP ${family} ${escapeLines(help).replaceAll('"', '\\"')}\n`,
  ].join("");
}

/** The last line of a page. */
export function endOf(format: Format): string {
  return format === "openmetrics" ? "# EOF\n" : "";
}

/** The line of a sample; `order` names its labels. */
export function sampleLine(
  name: string,
  labels: LabelValues,
  value: number,
  order: readonly string[] = Object.keys(labels),
): string {
  let text = "";
  for (const label of order) {
    text += `${text === "" ? "{" : ","}${label}="${escapeLabel(labels[label] ?? "")}"`;
  }
  return `${name}${text === "" ? "" : `${text}}`} ${numberText(value)}\n`;
}

export function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  return value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value);
}

/** The bound of a bucket: OpenMetrics wants a decimal point, so that all exporters write the same. */
export function boundText(format: Format, bound: number): string {
  const text = numberText(bound);
  return format === "openmetrics" && /^-?\d+$/.test(text) ? `${text}.0` : text;
}

const ESCAPED = /["\\\n]/;

function escapeLabel(value: string): string {
  return ESCAPED.test(value) ? escapeLines(value).replaceAll('"', '\\"') : value;
}

function escapeLines(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
