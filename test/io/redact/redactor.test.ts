import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { REDACTED } from "../../../src/domain/wording.ts";
import { createRedactor } from "../../../src/io/redact/redactor.ts";

const SECRET = "Zq7-vK2_x9Lw/4Rt+8Hn=cMs";

/** What is left of a text beside the marks. */
const leftOf = (text: string): readonly string[] => text.split(REDACTED);

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const hex = (text: string): string => Buffer.from(text).toString("hex");
const percent = (text: string): string => text.replace(/./g, (sign) => `%${hex(sign)}`);
const unicode = (text: string): string => text.replace(/./g, (sign) => `\\u00${hex(sign)}`);

const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  "as it is": (text) => text,
  "in capitals": (text) => text.toUpperCase(),
  "in small letters": (text) => text.toLowerCase(),
  "percent-encoded": encodeURIComponent,
  "percent-encoded, every character": percent,
  "percent-encoded twice": (text) => encodeURIComponent(encodeURIComponent(text)),
  "as a form": (text) => new URLSearchParams({ a: text }).toString().slice(2),
  "in base64": base64,
  "in base64, one later": (text) => base64(`x${text}`).slice(1),
  "in base64, two later": (text) => base64(`xy${text}`).slice(2),
  "in base64 for URLs": (text) => Buffer.from(text).toString("base64url"),
  "in base64, percent-encoded": (text) => encodeURIComponent(base64(text)),
  "in hexadecimal": hex,
  "in hexadecimal, with capitals": (text) => hex(text).toUpperCase(),
  "JSON-escaped": (text) => JSON.stringify(text).slice(1, -1),
  "JSON-escaped, every character": unicode,
  "JSON-escaped, with slashes": (text) => JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/"),
  "percent-encoded in JSON": (text) => unicode(percent(text)),
  "escaped here and there": (text) =>
    text.replace(/./g, (sign, at: number) =>
      at % 3 === 0 ? percent(sign) : at % 3 === 1 ? unicode(sign) : sign,
    ),
};

const secrets = fc
  .string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 8,
    maxLength: 70,
  })
  // What is left of a mark is not a secret.
  .filter((secret) => !holdsPiece(REDACTED, secret));

const cuts = secrets.chain((secret) =>
  fc
    .tuple(fc.integer({ min: 0, max: secret.length - 8 }), fc.integer({ min: 8, max: 70 }))
    .map(([start, length]) => ({ secret, cut: secret.slice(start, start + length) })),
);

/** Eight characters of the secret, in any case. */
function holdsPiece(text: string, secret: string, length = 8): boolean {
  const [shown, hidden] = [text.toLowerCase(), secret.toLowerCase()];
  for (let at = 0; at + length <= hidden.length; at += 1)
    if (shown.includes(hidden.slice(at, at + length))) return true;
  return false;
}

/** Undoes what a reader could undo, as far as it can be undone. */
function readings(text: string): readonly string[] {
  const unescaped = text
    .replace(/%([0-9a-f]{2})/gi, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    )
    .replace(/\\u([0-9a-f]{4})/gi, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    )
    .replace(/\\(.)/g, "$1");
  const runs =
    text
      .replaceAll("-", "+")
      .replaceAll("_", "/")
      .match(/[A-Za-z0-9+/]+/g) ?? [];
  const decoded = runs.flatMap((run) =>
    [0, 1, 2, 3].flatMap((skip) => [
      Buffer.from(run.slice(skip), "base64").toString("latin1"),
      Buffer.from(run.slice(skip), "hex").toString("latin1"),
    ]),
  );
  return [text, unescaped, ...decoded];
}

describe("a redactor", () => {
  test.for(Object.entries(ENCODINGS))(
    "leaves no piece of any cut of any secret: %s",
    ([, encode]) => {
      fc.assert(
        fc.property(cuts, fc.string(), fc.string(), ({ secret, cut }, before, after) => {
          const { redact } = createRedactor([secret]);
          const encoded = encode(cut);
          const shown = redact(`${before}${encoded}${after}`);
          for (const left of leftOf(shown))
            for (const reading of readings(left)) expect(holdsPiece(reading, secret)).toBe(false);
        }),
        { numRuns: 200 },
      );
    },
  );

  test("leaves a text without a secret as it is, the very same", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 2_000 }), (text) => {
        expect(createRedactor([SECRET]).redact(text)).toBe(text);
      }),
    );
  });

  test("leaves what is around a secret, and hides what touches as one", () => {
    const { redact } = createRedactor([SECRET, "another-secret"]);
    expect(redact(`a ${SECRET} b`)).toBe(`a ${REDACTED} b`);
    expect(redact(`${SECRET}${SECRET.slice(3)}`)).toBe(REDACTED);
    expect(redact(`<${SECRET} ANOTHER-SECRET>`)).toBe(`<${REDACTED} ${REDACTED}>`);
    expect(redact(`key=${percent(SECRET)}&x=1`)).toBe(`key=${REDACTED}&x=1`);
  });

  test("leaves seven characters, which are as many as a common word has", () => {
    const { redact } = createRedactor([SECRET]);
    expect(redact(SECRET.slice(0, 7))).toBe(SECRET.slice(0, 7));
    expect(redact(SECRET.slice(0, 8))).toBe(REDACTED);
  });

  test("hides a short secret as a whole word only, in any case and escaped", () => {
    const { redact } = createRedactor(["s3cret/"]);
    expect(redact("a s3cret/ S3CRET/ s3cret%2F s3cret\\/ b")).toBe(
      `a ${REDACTED} ${REDACTED} ${REDACTED} ${REDACTED} b`,
    );
    expect(redact("s3cret")).toBe("s3cret");
    expect(createRedactor(["k"]).redact('["KRAKEN", "k", "OK"]')).toBe(
      `["KRAKEN", "${REDACTED}", "OK"]`,
    );
  });

  test("takes four bytes in hexadecimal for what they are in most ids: an accident", () => {
    const { redact } = createRedactor([SECRET]);
    const id = `0x${hex(SECRET).slice(0, 14)}c0ffee`;
    expect(redact(id)).toBe(id);
  });

  test("takes a few digits for a part of the number or id that they stand in: an accident", () => {
    const { redact } = createRedactor(["1234567890123456", "deadbeefcafe0123456789abcdef0000"]);
    const amount = "5.12345678901";
    const id = `0x${"7e".repeat(12)}deadbeefcafe${"7e".repeat(14)}`;
    expect(redact(`${amount} ${id}`)).toBe(`${amount} ${id}`);
    expect(redact("12345678 deadbeef")).toBe(`${REDACTED} ${REDACTED}`);
    expect(redact("51234567890123456 deadbeefcafe0123456789abcdef0000")).toBe(
      `5${REDACTED} ${REDACTED}`,
    );
  });

  test("hides of a URL what is not a word and no host", () => {
    const { redact } = createRedactor([
      "https://hooks.example.com/services/T0123ABCD/B0123ABCD/qWeRtZuIoP12",
    ]);
    const text =
      "hooks.example.com: services are down (/services/T0123ABCD/B0123ABCD/qWeRtZuIoP12)";
    expect(redact(text)).toBe(`hooks.example.com: services are down (/services/${REDACTED})`);
  });

  test("hides all behind the host of a URL that has nothing but words", () => {
    const { redact } = createRedactor(["https://ntfy.example.com/ourtopic"]);
    expect(redact("POST ntfy.example.com/ourtopic")).toBe(`POST ntfy.example.com${REDACTED}`);
  });

  test("hides of a URL that ends in words what is before these", () => {
    const { redact } = createRedactor(["https://api.example.com/bot1:AAHdqTcvCH1vGWJ/sendMessage"]);
    expect(redact("sendMessage of bot1:AAHdqTcvCH1vGWJ failed")).toBe(
      `sendMessage of ${REDACTED} failed`,
    );
  });

  test("hides every line of a private key, and not what stands in all of them", () => {
    const key =
      "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n";
    const { redact } = createRedactor([key]);
    expect(redact(`${key}hkiG9w0BAQEFAASC of a PRIVATE KEY`)).toBe(
      `-----BEGIN PRIVATE KEY-----\n${REDACTED}\n${REDACTED}\n-----END PRIVATE KEY-----\n${REDACTED} of a PRIVATE KEY`,
    );
  });

  test("hides user and password of a URL", () => {
    const { redact } = createRedactor(["http://watcher1:hunter2hunter2@proxy.example:3128"]);
    expect(redact("watcher1:hunter2hunter2@proxy.example:3128")).toBe(
      `${REDACTED}:${REDACTED}@proxy.example:3128`,
    );
  });

  test("hides every text and key of a JSON value", () => {
    const { redactJson } = createRedactor([SECRET]);
    expect(
      redactJson({ [SECRET]: [SECRET, 1, null, { __proto__: null, a: `x ${SECRET}` }] }),
    ).toEqual({ [REDACTED]: [REDACTED, 1, null, { a: `x ${REDACTED}` }] });
  });

  test("of our own texts hides long pieces only, as a word in a secret is not a secret", () => {
    const { redact, redactOwn } = createRedactor(["aggwatch-Zq7vK2x9Lw4Rt8Hn"]);
    const own = "aggwatch cannot connect";
    expect(redactOwn(own)).toBe(own);
    expect(redact(own)).toBe(`${REDACTED} cannot connect`);
    expect(redactOwn("aggwatch-Zq7vK2x9Lw4Rt8Hn was refused")).toBe(`${REDACTED} was refused`);
  });

  test("goes on hiding what was replaced, and forgets the oldest of very many", () => {
    const { redact, learn } = createRedactor([SECRET]);
    learn(["another-secret"]);
    expect(redact(SECRET)).toBe(REDACTED);
    const some = (first: number): string[] =>
      Array.from({ length: 300 }, (_, index) => `${hex(String((first + index) * 7_919))}:${index}`);
    learn(some(1_000));
    expect(redact(SECRET)).toBe(REDACTED);
    const many = some(0);
    learn(many);
    expect(redact(SECRET)).toBe(SECRET);
    for (const one of many.filter((text) => text.length >= 8)) expect(redact(one)).toBe(REDACTED);
  });
});

describe("the URL of a database", () => {
  const PASSWORD = "kT9/vW2+xB5q";
  const URLS = [
    `postgres://aggwatch:${encodeURIComponent(PASSWORD)}@db.internal:5432/aggwatch?sslmode=verify-full`,
    `postgresql://aggwatch@db.internal/aggwatch?password=${encodeURIComponent(PASSWORD)}`,
  ];

  test.each(URLS)(
    "hides its password, and no word that names of an aggregator may hold: %s",
    (url) => {
      const { redact } = createRedactor([url]);
      for (const name of ["INTERNAL_POOL_V2", "postgres", "AGGWATCH/verify-full"])
        expect(redact(name)).toBe(name);
      expect(redact(`a "${PASSWORD}"`)).toBe(`a "${REDACTED}"`);
      expect(redact(encodeURIComponent(PASSWORD))).toBe(REDACTED);
      expect(redact(`cannot reach ${url}`)).not.toContain(encodeURIComponent(PASSWORD).slice(0, 8));
    },
  );
});

test("as many secrets as the settings have stay hidden, whatever is learnt after them", () => {
  const many = Array.from({ length: 300 }, (_, index) => `secret-${index}-${"x".repeat(index)}`);
  const { learn, redact } = createRedactor(many);
  learn(["another-secret-of-theirs"]);
  expect(redact(`a ${many[0]} b`)).toBe(`a ${REDACTED} b`);
});
