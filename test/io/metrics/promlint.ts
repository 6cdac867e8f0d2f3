import type { Family } from "./exposition.ts";

/**
 * The rules of `promtool check metrics`, in our own words: client_golang's
 * prometheus/testutil/promlint/validations, of the same names, as of its version 1.23. Nine were there for years;
 * `gauge` (timestamps) is a newer one. Each gives what it complains of.
 */
type Rule = (family: Family) => string[];

const TYPES = ["counter", "gauge", "histogram", "summary", "gauge_histogram"];

const BASE_UNITS = [
  "amperes",
  "bytes",
  "celsius",
  "grams",
  "joules",
  "kelvin",
  "meters",
  "metres",
  "seconds",
  "volts",
];

const OTHER_UNITS = [
  ["minutes", "hours", "days", "weeks"],
  ["kelvins", "fahrenheit", "rankine"],
  ["inches", "yards", "miles"],
  ["bits", "calories", "pounds", "ounces"],
].flat();

const PREFIXES =
  /^(?:pico|nano|micro|milli|centi|deci|deca|hecto|kilo|kibi|mega|mibi|giga|gibi|tera|tebi|peta|pebi)/;

const ABBREVIATIONS = "s ms us ns sec b kb mb gb tb pb m h d".split(" ");

export const PROMLINT: Readonly<Record<string, Rule>> = {
  help: ({ help }) => when(help === "", "no help text"),
  metric_units: ({ name }) => {
    for (const word of name.split("_")) {
      if (BASE_UNITS.includes(word)) return [];
      const bare = word.replace(PREFIXES, "");
      if ([...BASE_UNITS, ...OTHER_UNITS].includes(word) || (bare !== word && isUnit(bare)))
        return [`"${word}" is not a base unit`];
    }
    return [];
  },
  counter: ({ name, type }) => [
    ...when(type === "counter" && !name.endsWith("_total"), "a counter without _total"),
    ...when(type !== "counter" && name.endsWith("_total"), "_total, and no counter"),
  ],
  gauge: ({ name, type }) =>
    when(type !== "gauge" && name.endsWith("_timestamp_seconds"), "a timestamp, and no gauge"),
  reserved: ({ name, type, samples }) => {
    const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)));
    const [histogram, summary] = [type === "histogram", type === "summary"];
    return [
      ...when(!histogram && name.endsWith("_bucket"), "_bucket, and no histogram"),
      ...when(!histogram && !summary && /_(?:count|sum)$/.test(name), "a reserved suffix"),
      ...when(!histogram && labels.has("le"), "a label le, and no histogram"),
      ...when(!summary && labels.has("quantile"), "a label quantile, and no summary"),
    ];
  },
  type_in_name: ({ name }) => TYPES.filter((type) => hasWord(name, type)),
  reserved_chars: ({ name }) => when(name.includes(":"), "a colon"),
  camel_case: ({ name, samples }) =>
    [name, ...samples.flatMap((sample) => Object.keys(sample.labels))].filter((word) =>
      /[a-z][A-Z]/.test(word),
    ),
  unit_abbreviations: ({ name }) => ABBREVIATIONS.filter((short) => hasWord(name, short)),
  duplicate_metric: ({ samples }) => {
    const series = samples.map((sample) => JSON.stringify([sample.name, sample.labels]));
    return series.filter((one, index) => series.indexOf(one) !== index);
  },
};

/** Every complaint, with the family and the rule. */
export function promlint(families: Iterable<Family>): string[] {
  return [...families].flatMap((family) =>
    Object.entries(PROMLINT).flatMap(([rule, judge]) =>
      judge(family).map((complaint) => `${family.name}: ${rule}: ${complaint}`),
    ),
  );
}

function when(is: boolean, complaint: string): string[] {
  return is ? [complaint] : [];
}

function isUnit(word: string): boolean {
  return BASE_UNITS.includes(word) || OTHER_UNITS.includes(word);
}

function hasWord(name: string, word: string): boolean {
  return name.includes(`_${word}_`) || name.endsWith(`_${word}`);
}
