/**
 * A strict reader of OpenMetrics 1.0, as far as its text format goes: what a page must not do is thrown.
 * https://github.com/prometheus/OpenMetrics/blob/v1.0.0/specification/OpenMetrics.md
 */
export type OpenFamily = {
  readonly name: string;
  type: string;
  unit: string;
  help: string | undefined;
  readonly samples: string[];
};

const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  gauge: [""],
  counter: ["_total", "_created"],
  histogram: ["_bucket", "_count", "_sum", "_created"],
  summary: ["", "_count", "_sum", "_created"],
};

const LABELS = /^(?:\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*"(?:,(?!\})|(?=\})))*\})?$/;
const SAMPLE = /^([a-zA-Z_:][\w:]*)(\{.*\})? (\S+)$/;
const NUMBER = /^(?:[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|[+-]Inf|NaN)$/;

export function parseOpenMetrics(text: string): Map<string, OpenFamily> {
  if (!text.endsWith("\n# EOF\n")) throw new Error("the page does not end in # EOF");
  const families = new Map<string, OpenFamily>();
  let current: OpenFamily | undefined;
  for (const line of text.slice(0, -"# EOF\n".length - 1).split("\n")) {
    const [, keyword, name = "", rest = ""] = /^# (HELP|TYPE|UNIT) (\S+) (.*)$/.exec(line) ?? [];
    if (keyword !== undefined) {
      if (current?.name !== name) {
        if (families.has(name)) throw new Error(`${name} comes twice, or in pieces`);
        current = { name, type: "", unit: "", help: undefined, samples: [] };
        families.set(name, current);
      }
      takeMetadata(current, keyword, rest);
    } else if (current === undefined) throw new Error(`a sample without a family: ${line}`);
    else takeSample(current, line);
  }
  return families;
}

function takeMetadata(family: OpenFamily, keyword: string, rest: string): void {
  if (family.samples.length > 0) throw new Error(`${family.name}: ${keyword} after a sample`);
  if (keyword === "TYPE") family.type = rest;
  else if (keyword === "HELP") {
    if (!/^(?:[^"\\]|\\["\\n])*$/.test(rest)) throw new Error(`${family.name}: help not escaped`);
    family.help = rest;
  } else {
    if (!family.name.endsWith(`_${rest}`)) throw new Error(`${family.name}: the unit ${rest}`);
    family.unit = rest;
  }
}

function takeSample(family: OpenFamily, line: string): void {
  const [, name = "", labels = "", value = ""] = SAMPLE.exec(line) ?? [];
  const suffixes = SUFFIXES[family.type];
  if (suffixes?.some((suffix) => name === family.name + suffix) !== true)
    throw new Error(`no sample of the ${family.type} ${family.name}: ${line}`);
  if (!LABELS.test(labels)) throw new Error(`labels that cannot be read: ${line}`);
  if (!NUMBER.test(value)) throw new Error(`no number: ${line}`);
  const bound = /[{,]le="([^"]*)"/.exec(labels)?.[1];
  if (bound !== undefined && bound !== "+Inf" && !/^\d*\.\d+$|e/.test(bound))
    throw new Error(`a bound that is not canonical: ${line}`);
  family.samples.push(line);
}
