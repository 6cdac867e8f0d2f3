/** What a scrape says, read from the text format 0.0.4 of Prometheus. */
export type Family = {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: Sample[];
};

export type Sample = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
};

const NAME = /^[a-z_][a-z0-9_]*$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;

/** Reads every family; whatever is not in the format is thrown. */
export function parseExposition(text: string): Map<string, Family> {
  const families = new Map<string, Family>();
  let help: readonly [string, string] | undefined;
  let family: Family | undefined;
  if (!text.endsWith("\n")) throw new Error("the last line does not end");
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const [, keyword, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (keyword === "HELP") help = [name, rest];
    else if (keyword === "TYPE") {
      if (help?.[0] !== name) throw new Error(`${name} has no help right before its type`);
      if (families.has(name)) throw new Error(`${name} comes twice`);
      family = { name, help: help[1], type: rest, samples: [] };
      families.set(name, family);
    } else family?.samples.push(readSample(line, family));
  }
  return families;
}

function readSample(line: string, family: Family): Sample {
  const match = SAMPLE.exec(line);
  const name = match?.[1] ?? "";
  const suffix = name.slice(family.name.length);
  const allowed = family.type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
  if (match === null || !name.startsWith(family.name) || !allowed.includes(suffix)) {
    throw new Error(`not a sample of ${family.name}: ${line}`);
  }
  const value = Number(match[3]?.replace("Inf", "Infinity"));
  return { name, labels: readLabels(match[2] ?? "", line), value };
}

function readLabels(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (LABEL.lastIndex = 0; LABEL.lastIndex < text.length;) {
    const match = LABEL.exec(text);
    if (match === null) throw new Error(`labels that cannot be read: ${line}`);
    const [, name = "", value = ""] = match;
    if (name in labels) throw new Error(`the label ${name} comes twice: ${line}`);
    labels[name] = value.replace(/\\(.)/g, (_, escaped: string) =>
      escaped === "n" ? "\n" : escaped,
    );
  }
  return labels;
}

/** What `promtool check metrics` and the naming rules would complain of. */
export function lint(families: ReadonlyMap<string, Family>): string[] {
  const complaints: string[] = [];
  for (const { name, help, type, samples } of families.values()) {
    if (!NAME.test(name)) complaints.push(`${name}: not snake_case`);
    if (!/^[A-Z0-9].*\S/.test(help)) complaints.push(`${name}: help is not a sentence`);
    if ((type === "counter") !== name.endsWith("_total")) {
      complaints.push(`${name}: _total is for counters, and for all of them (${type})`);
    }
    if (/_(?:count|sum|bucket)$/.test(name)) complaints.push(`${name}: a reserved suffix`);
    if (/_(?:ms|milliseconds|minutes|percent)(?:_|$)/.test(name)) {
      complaints.push(`${name}: not a base unit`);
    }
    const series = samples.map((sample) => JSON.stringify([sample.name, sample.labels]));
    if (new Set(series).size !== series.length) complaints.push(`${name}: a series comes twice`);
    for (const { value } of samples) {
      // The library's mean of the event loop's lag is not a number when nothing was measured yet.
      if (Number.isNaN(value) && name.startsWith("aggwatch_"))
        complaints.push(`${name}: a value is not a number`);
    }
  }
  return complaints;
}
