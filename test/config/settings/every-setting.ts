import type { z } from "zod";
import { leavesOf } from "../../../tools/describe.ts";
import { settingsSchema } from "../../../src/config/settings/settings-schema.ts";
import { notifiers } from "../../../src/notifiers/index.ts";
import type { Notifier } from "../../../src/notifiers/notifier.ts";
import { elementOf, formOf, shapeOf, type Leaf } from "../../../src/schema/walk.ts";

/**
 * Every key of the config with two sound values, made from the schema. A new key needs an entry here only
 * if its form alone does not say what a sound value is: see `SAMPLES`.
 */

type Place = ReadonlyArray<string | number>;

export type Sampled = {
  /** As in the docs: `aggregators[].rate.concurrency`. */
  readonly key: string;
  readonly leaf: Leaf;
  readonly schema: z.ZodType;
  /** A config with the key's first value, and one with its second. */
  readonly configs: readonly [first: unknown, second: unknown];
};

/** Values of keys whose form says too little; by the end of the key. */
const SAMPLES: ReadonlyArray<readonly [end: string, first: unknown, second: unknown]> = [
  ["listen", "127.0.0.1:1", "127.0.0.1:2"],
  ["base_url", "http://one.example/a", "http://two.example/a"],
  ["external_url", "http://one.example", "http://two.example"],
  ["trusted_proxies", ["10.0.0.1"], ["10.0.0.0/8"]],
  ["proxy.url", "http://one.example:3128", "http://two.example:3128"],
  ["endpoint", "http://one.example", "http://two.example"],
  ["email[].url", "smtp://one.example", "smtp://two.example"],
  ["from", "one@a.example", "two@a.example"],
  ["to", ["one@a.example"], ["two@a.example"]],
  ["url", "http://one.example", "http://two.example"],
  ["tls.ca_file", "one.pem", "two.pem"],
  ["tls.cert_file", "one.pem", "two.pem"],
  ["tls.key_file", "key_one.pem", "key_two.pem"],
  ["tls.key_env", "key_one", "key_two"],
  ["watch.http", ["http://one.example"], ["http://two.example"]],
  ["alertmanagers", ["http://one.example"], ["http://two.example"]],
  ["watch.files", ["one/*.yaml"], ["two/*.yaml"]],
  ["watch.pools", ["OrionV2/ORN-USDT"], ["OrionV2/BNB-ORN"]],
  ["tells", ["alerts"], ["kill"]],
  ["match", { one: "x" }, { two: "x" }],
  ["query", { one: "x" }, { two: "x" }],
  ["headers", { one: "x" }, { two: "x" }],
  ["body", { one: "x" }, { two: "x" }],
  ["success", [200], [201]],
  ["ignore", ["contradiction"], ["partial_content"]],
  ["map", "data.one", "data.two"],
  ["path", "/one", "/two"],
  ["stale_after", "3h", "4h"],
  ["maintenance[].schedule", "0 2 * * 6", "0 3 * * 6"],
  ["time_zone", "Europe/Berlin", "Europe/Paris"],
  ["final", ["SETTLED"], ["FAILED"]],
  ["postgres.url_file", "database_one", "database_two"],
  ["postgres.url_env", "database_one", "database_two"],
  ["postgres.lease", "20s", "30s"],
];

/** The values of a form. */
const FORMS: Readonly<Record<Leaf["form"], readonly [first: unknown, second: unknown]>> = {
  text: ["one", "two"],
  path: ["one", "two"],
  number: [3, 4],
  duration: ["2s", "3s"],
  size: ["64KiB", "65KiB"],
  truth: [false, true],
  list: [["one"], ["two"]],
  numbers: [[1], [2]],
  map: [{}, { one: "x" }],
  schedule: ["0 0 * * * *", "0 30 * * * *"],
  expression: ["one", "two"],
};

/** What a key needs beside it, or must not have. */
const BESIDE: ReadonlyArray<readonly [key: RegExp, beside: Readonly<Record<string, unknown>>]> = [
  [/auth\.(?:\w+\.)?value_\w+$/, { type: "bearer" }],
  [/auth\.(?:\w+\.)?name$/, { type: "header", value_file: "secret" }],
  [/auth\.(?:\w+\.)?username$/, { type: "basic", password_file: "secret" }],
  [/auth\.(?:\w+\.)?password_\w+$/, { type: "basic", username: "me" }],
  [/tls\.cert_file$/, { key_file: "key_one.pem" }],
  [/tls\.key_(?:file|env)$/, { cert_file: "one.pem" }],
  [/tls\.key_passphrase_\w+$/, { cert_file: "one.pem", key_file: "key_one.pem" }],
  [/proxy\.username$/, { url: "http://proxy.example", password_file: "secret" }],
  [/proxy\.password_\w+$/, { url: "http://proxy.example", username: "me" }],
  [/budgets\.\w+\.max$/, { per: "1h" }],
  [/budgets\.\w+\.per$/, { max: 3 }],
];

/** Keys whose values need other keys beside them, so that the whole mapping stands in their place. */
const WHOLE: ReadonlyArray<readonly [key: RegExp, first: unknown, second: unknown]> = [
  [
    /email.*auth\.type$/,
    { type: "none" },
    { type: "basic", username: "me", password_file: "secret" },
  ],
  [/auth\.(?:\w+\.)?type$/, { type: "none" }, { type: "bearer", value_file: "secret" }],
];

/** What every entry of a list needs. */
const BASE = {
  aggregators: [{ base_url: "https://a.example/one" }],
  journal: { postgres: { url_file: "database" } },
  maintenance: [{ name: "night", schedule: "0 1 * * *", duration: "1h", reason: "backup" }],
  notify: {
    heartbeat: { url_file: "ping" },
    ...Object.fromEntries(notifiers.map((notifier) => [notifier.key, [channelOf(notifier)]])),
  },
};

/** A channel with what its notifier needs: each secret, and each key that has no default. */
function channelOf({ key, settings }: Notifier): Readonly<Record<string, unknown>> {
  const needed = Object.entries(settings).flatMap(([name, schema]): Array<[string, unknown]> => {
    if (name.endsWith("_file")) return [[name, "hook"]];
    if (schema.safeParse(undefined).success) return [];
    return [[name, samplesOf(`notify.${key}[].${name}`, formOf(schema) ?? "text")[0]]];
  });
  return Object.fromEntries(needed);
}

export function everySetting(): readonly Sampled[] {
  return leavesOf(settingsSchema).map(sampled);
}

function sampled(leaf: Leaf): Sampled {
  const key = leaf.path.join(".").replaceAll(".[]", "[]");
  const place = leaf.path.map((step) => (step === "[]" ? 0 : step));
  const parent = place.slice(0, -1);
  const file = String(place.at(-1)).replace(/_env$/, "_file");
  const other = key.endsWith("_env") ? { [file]: undefined } : {};
  const needed = BESIDE.find(([pattern]) => pattern.test(key))?.[1];
  const beside = Object.entries({ ...other, ...needed });
  const around = beside.reduce<unknown>(
    (config, [name, value]) => withValue(config, [...parent, name], value),
    BASE,
  );
  const whole = WHOLE.find(([pattern]) => pattern.test(key));
  const [first, second] =
    whole === undefined
      ? samplesOf(key, leaf.form, wordsOf(leaf.path)).map((value) =>
          withValue(around, place, value),
        )
      : whole.slice(1).map((value) => withValue(BASE, parent, value));
  return { key, leaf, schema: schemaOf(leaf.path), configs: [first, second] };
}

function samplesOf(
  key: string,
  form: Leaf["form"],
  words: readonly string[] = [],
): readonly [first: unknown, second: unknown] {
  const own = SAMPLES.find(([end]) => key === end || key.endsWith(`.${end}`));
  if (own !== undefined) return [own[1], own[2]];
  const [first, second] = words;
  return first === undefined || second === undefined ? FORMS[form] : [first, second];
}

function schemaOf(path: readonly string[]): z.ZodType {
  return path.reduce<z.ZodType>((at, step) => {
    const below = step === "[]" ? elementOf(at) : shapeOf(at)?.[step];
    if (below === undefined) throw new Error(`there is no ${step} of ${path.join(".")}`);
    return below;
  }, settingsSchema);
}

/** The words of an enumeration. */
function wordsOf(path: readonly string[]): readonly string[] | undefined {
  let schema = schemaOf(path);
  while ("innerType" in schema.def) schema = schema.def.innerType as z.ZodType;
  return "entries" in schema.def ? Object.values(schema.def.entries as object) : undefined;
}

export function withValue(config: unknown, [step, ...rest]: Place, value: unknown): unknown {
  if (step === undefined) return value;
  const own = (config ?? (typeof step === "number" ? [] : {})) as Record<string | number, unknown>;
  const inner = withValue(own[step], rest, value);
  if (Array.isArray(own)) return own.map((item: unknown, index) => (index === step ? inner : item));
  if (inner !== undefined) return { ...own, [step]: inner };
  return Object.fromEntries(Object.entries(own).filter(([key]) => key !== String(step)));
}
