import * as fc from "fast-check";

/**
 * Expressions of the language of rules, made from a grammar, so that nearly all of them compile. They
 * use the facts of `pool`, and names for loops that hide one another.
 */
export type Grammar = Readonly<
  Record<"bool" | "number" | "int" | "text" | "list" | "instant" | "length", fc.Arbitrary<string>>
>;

const literals = {
  number: ["0.0", "1.5", "-2.0", "1e9", "0.1"],
  int: ["0", "1", "-3", "7", "9223372036854775807"],
  text: ['""', '"a"', '"ORN-USDT"', '"OrionV2"', '"-"', '"aaaaaaaaaaaaaaaa"'],
  length: [
    'duration("0s")',
    'duration("90s")',
    'duration("1h30m")',
    'duration("-5m")',
    'duration("-0.75s")',
    'duration("1s")',
  ],
};

export const { bool, number, int, text, list, instant, length } = fc.letrec<{
  bool: string;
  number: string;
  int: string;
  text: string;
  list: string;
  instant: string;
  length: string;
}>((tie) => {
  const from = (shape: string, ...names: readonly (keyof Grammar)[]) =>
    fc.tuple(...names.map((name) => tie(name))).map((parts) => {
      let next = 0;
      return shape.replace(/_(?!one)/g, () => parts[next++] ?? "");
    });
  const oneOf = (...choices: ReadonlyArray<fc.Arbitrary<string>>) =>
    fc.oneof({ depthSize: "small", withCrossShrink: true, maxDepth: 5 }, ...choices);
  const facts = (...names: readonly string[]) =>
    fc.constantFrom(...names.map((name) => `pool.${name}`));
  return {
    bool: oneOf(
      fc.constantFrom("true", "false"),
      fc.constantFrom("base", "name", "since", "price").map((name) => `has(pool.${name})`),
      from("(_ && _)", "bool", "bool"),
      from("(_ || _)", "bool", "bool"),
      from("!(_)", "bool"),
      from("(_ ? _ : _)", "bool", "bool", "bool"),
      from("(_ < _)", "number", "number"),
      from("(_ == _)", "number", "number"),
      from("(_ >= _)", "int", "int"),
      from("(_ == _)", "text", "text"),
      from("_.startsWith(_)", "text", "text"),
      from("_.contains(_)", "text", "text"),
      from("(_ in _)", "text", "list"),
      from("(_ == _)", "list", "list"),
      from("_.exists(x, x == _)", "list", "text"),
      from("_.all(y, y.contains(_))", "list", "text"),
      from("_.exists_one(x, x < _)", "list", "text"),
      from("(_ > _)", "length", "length"),
      from("(_ < _)", "instant", "instant"),
    ),
    number: oneOf(
      fc.constantFrom(...literals.number),
      facts("base", "quote", "price"),
      from("(_ + _)", "number", "number"),
      from("(_ * _)", "number", "number"),
      from("(_ / _)", "number", "number"),
      from("double(_)", "int"),
      from("(_ ? _ : _)", "bool", "number", "number"),
    ),
    int: oneOf(
      fc.constantFrom(...literals.int),
      from("size(_)", "text"),
      from("size(_)", "list"),
      from("(_ + _)", "int", "int"),
      from("(_ * _)", "int", "int"),
      from("(_ % _)", "int", "int"),
    ),
    text: oneOf(
      fc.constantFrom(...literals.text),
      facts("name", "factory", "pair"),
      from("(_ + _)", "text", "text"),
      from("string(_)", "int"),
      from('_.join("-")', "list"),
      from("_[_]", "list", "int"),
      from("(_ ? _ : _)", "bool", "text", "text"),
    ),
    list: oneOf(
      from("[_]", "text"),
      from("[_, _]", "text", "text"),
      from("_.split(_)", "text", "text"),
      from("(_ + _)", "list", "list"),
      from("_.map(x, x + _)", "list", "text"),
      from("_.filter(y, y != _)", "list", "text"),
    ),
    instant: oneOf(
      fc.constantFrom("now", 'timestamp("2026-01-31T12:00:00Z")'),
      facts("since", "first_seen"),
      from("(_ + _)", "instant", "length"),
    ),
    length: oneOf(
      fc.constantFrom(...literals.length),
      from("(_ - _)", "instant", "instant"),
      from("age(_)", "instant"),
      from("(_ + _)", "length", "length"),
      from("(_ - _)", "length", "length"),
    ),
  };
});

const word = fc.constantFrom("", "a", "ORN-USDT", "OrionV2/ORN-USDT", "a-a-a", "x".repeat(100));

/** Facts of a pool, some of them not known. */
export const knownFacts = fc.record(
  {
    base: fc.constantFrom(0, 1.5, -2, 1e9),
    quote: fc.constantFrom(0, 1.5, 3),
    price: fc.constantFrom(0.1, 7),
    name: word,
    factory: word,
    pair: word,
    since: fc.constantFrom(0, 1_769_860_800_000, 1_790_000_000_250, 1_800_000_000_000),
    first_seen: fc.constantFrom(0, 1_769_860_800_000),
  },
  { requiredKeys: [] },
);

/** As above, and with texts as long as a hostile aggregator can make them. */
export const hostileFacts = knownFacts.chain((facts) =>
  fc
    .constantFrom("a", "-", "a-", "é", "\u{1F600}")
    .chain((letters) =>
      fc
        .constantFrom(1, 300, 2_000, 4_096, 100_000)
        .map((size) => ({ ...facts, name: letters.repeat(size), pair: letters.repeat(size) })),
    ),
);
