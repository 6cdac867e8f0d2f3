import { z } from "@hono/zod-openapi";
import { formatInstant, type Instant } from "../../domain/time.ts";
import { snakeCase } from "../../domain/wording.ts";

/**
 * How a value is written in an answer of the API, and read from one. The OpenAPI document, the server's encoding and
 * the client's decoding come from the same codec, so each field is defined once.
 *
 * Encoding checks nothing, so one unexpected value does not spoil the rest of its answer. Decoding expects JSON that
 * fits the schema: `decodeAnswer` checks that first.
 */
export type Codec<Value, Json> = {
  readonly schema: z.ZodType<Json>;
  // Methods, not properties: their types compare bivariantly, so any codec is an `AnyCodec`.
  encode(value: Value): Json;
  decode(json: Json): Value;
  /** The text of what `encode` gives, in pieces; only a codec with a long list in it has this. */
  write?(value: Value): Iterable<string>;
};

type AnyCodec = Codec<unknown, unknown>;

/** The type of the values that a codec encodes and decodes. */
export type ValueOf<Own> = Own extends { decode(json: never): infer Value } ? Value : never;
/** The type of a codec's JSON. */
export type JsonOf<Own> = Own extends { readonly schema: z.ZodType<infer Json> } ? Json : never;

/** A value that is the same in the JSON. */
export function plain<Json>(schema: z.ZodType<Json>): Codec<Json, Json> {
  return { schema, encode: (value) => value, decode: (json) => json };
}

export const text = plain(z.string());
export const number = plain(z.number());
export const boolean = plain(z.boolean());

/** One of a list of words. */
export function word<const Words extends readonly [string, ...string[]]>(
  words: Words,
): Codec<Words[number], Words[number]> {
  return plain(z.enum(words) as unknown as z.ZodType<Words[number]>);
}

/** An instant, as ISO 8601 text in UTC. */
export const instant: Codec<Instant, string> = {
  schema: z.string().openapi({ example: "2026-01-31T12:00:00.000Z" }),
  encode: formatInstant,
  decode: Date.parse,
};

/** Writes undefined as `null`, so that an unknown field is in the JSON, too. */
export function orNull<Value, Json>(
  own: Codec<Value, Json>,
): Codec<Value | undefined, Json | null> {
  return {
    schema: own.schema.nullable(),
    encode: (value) => (value === undefined ? null : own.encode(value)),
    decode: (json) => (json === null ? undefined : own.decode(json)),
  };
}

export function list<Value, Json>(own: Codec<Value, Json>): Codec<readonly Value[], Json[]> {
  return {
    schema: z.array(own.schema),
    encode: (values) => values.map((value) => own.encode(value)),
    decode: (json) => json.map((one) => own.decode(one)),
    ...(own.write && {
      write: function* (values: readonly Value[]): Iterable<string> {
        for (const [index, value] of values.entries()) {
          yield index === 0 ? "[" : ",";
          yield* piecesOf(own, value);
        }
        yield values.length === 0 ? "[]" : "]";
      },
    }),
  };
}

const ITEMS_A_PIECE = 32;

/** A list that may have very many items, so that it is written a few at a time. */
export function longList<Value, Json>(own: Codec<Value, Json>): Codec<readonly Value[], Json[]> {
  const all = list(own);
  return {
    ...all,
    write: function* (values) {
      for (let from = 0; from < values.length; from += ITEMS_A_PIECE) {
        const items = JSON.stringify(all.encode(values.slice(from, from + ITEMS_A_PIECE)));
        yield `${from === 0 ? "[" : ","}${items.slice(1, -1)}`;
      }
      yield values.length === 0 ? "[]" : "]";
    },
  };
}

/** The JSON text of a value, in pieces; it is one piece if there is no long list in it. */
export function piecesOf<Value>(own: Codec<Value, unknown>, value: Value): Iterable<string> {
  return own.write?.(value) ?? [JSON.stringify(own.encode(value))];
}

/** A long list: its length, and the first `most` items. Decoding returns those. */
export function firstOf<Value, Json>(
  most: number,
  own: Codec<Value, Json>,
): Codec<readonly Value[], { total: number; first: Json[] }> {
  return {
    schema: z.object({ total: z.number(), first: z.array(own.schema) }),
    encode: (values) => ({
      total: values.length,
      first: values.slice(0, most).map((value) => own.encode(value)),
    }),
    decode: ({ first }) => first.map((one) => own.decode(one)),
  };
}

/** Describes a codec in the OpenAPI document; a string makes it a schema of that name. */
export function documented<Own extends AnyCodec>(
  own: Own,
  says: string | { readonly description: string },
): Own {
  const schema = typeof says === "string" ? own.schema.openapi(says) : own.schema.openapi(says);
  return { ...own, schema };
}

/** A field whose name in the JSON is not its own in snake_case. */
export function named<const Name extends string, Own extends AnyCodec>(
  name: Name,
  own: Own,
): Own & { readonly jsonName: Name } {
  return { ...own, jsonName: name };
}

type Shape = Readonly<Record<string, AnyCodec & { readonly jsonName?: string }>>;

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : "";

type JsonName<Name extends string, Own> = Own extends {
  readonly jsonName: infer Given extends string;
}
  ? Given
  : SnakeCase<Name>;

type JsonFields<Own extends Shape> = {
  [Name in keyof Own & string as JsonName<Name, Own[Name]>]: JsonOf<Own[Name]>;
};

/** A field that may be undefined may also be left out. */
type FieldValues<Own extends Shape> = {
  readonly [Name in keyof Own as undefined extends ValueOf<Own[Name]> ? never : Name]: ValueOf<
    Own[Name]
  >;
} & {
  readonly [Name in keyof Own as undefined extends ValueOf<Own[Name]> ? Name : never]?: ValueOf<
    Own[Name]
  >;
};

/**
 * An object, by the codec of each field. Names are in snake_case in the JSON. A value's other fields are not encoded.
 */
export function object<const Own extends Shape>(
  shape: Own,
): Codec<FieldValues<Own>, JsonFields<Own>> {
  const fields = Object.entries(shape).map(([name, own]) => ({
    name,
    own,
    jsonName: own.jsonName ?? snakeCase(name),
  }));
  const schema = z.object(
    Object.fromEntries(fields.map(({ jsonName, own }) => [jsonName, own.schema])),
  );
  return {
    schema: schema as unknown as z.ZodType<JsonFields<Own>>,
    encode: (value) => {
      const from = value as Readonly<Record<string, unknown>>;
      const json: Record<string, unknown> = {};
      for (const { name, jsonName, own } of fields) json[jsonName] = own.encode(from[name]);
      return json as JsonFields<Own>;
    },
    decode: (json) => {
      const from = json as Readonly<Record<string, unknown>>;
      const value: Record<string, unknown> = {};
      for (const { name, jsonName, own } of fields) value[name] = own.decode(from[jsonName]);
      return value as FieldValues<Own>;
    },
    ...(fields.some(({ own }) => own.write !== undefined) && {
      write: function* (value: FieldValues<Own>): Iterable<string> {
        const from = value as Readonly<Record<string, unknown>>;
        let before = "{";
        for (const { name, jsonName, own } of fields) {
          const pieces = own.write?.(from[name]);
          // A value that should not be undefined is left out, as `JSON.stringify` does.
          const text: string | undefined = pieces ? "" : JSON.stringify(own.encode(from[name]));
          if (text === undefined) continue;
          yield `${before}${JSON.stringify(jsonName)}:${text}`;
          if (pieces) yield* pieces;
          before = ",";
        }
        yield before === "{" ? "{}" : "}";
      },
    }),
  };
}

/**
 * Decodes an answer; undefined if it does not fit the schema, as an answer of another version may not. A word that this
 * version does not know is read as it is: a guard more must not keep people from their proposals.
 */
export function decodeAnswer<Value, Json>(
  codec: Codec<Value, Json>,
  json: unknown,
): Value | undefined {
  const read = codec.schema.safeParse(json);
  if (read.success) return codec.decode(read.data);
  const { issues } = read.error;
  return issues.every((issue) => isUnknownWord(issue, json))
    ? codec.decode(json as Json)
    : undefined;
}

function isUnknownWord({ code, path }: z.core.$ZodIssue, json: unknown): boolean {
  const found = path.reduce<unknown>((value, key) => Object(value)[key], json);
  return code === "invalid_value" && typeof found === "string";
}
