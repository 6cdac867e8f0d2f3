import { decodeBody, type BodyForm } from "../src/io/aggregator/decode-body.ts";
import { createRedactor } from "../src/io/redact/redactor.ts";
import { compare, type Rounds } from "./measure.ts";
import { grouped, milliseconds, type Row } from "./table.ts";

/**
 * Bodies that a broken or hostile server might send, decoded beside `JSON.parse` of the same bytes. If a ratio grows
 * with the size, the work grows faster than the body, and a larger one stops the loop.
 */
export async function benchHostile(sizes: readonly number[], rounds: Rounds): Promise<Row[]> {
  const redactor = createRedactor([SECRET]);
  const rows: Row[] = [];
  for (const size of sizes)
    for (const [name, bodyOf] of Object.entries(BODIES)) {
      const body = bodyOf(size);
      const ours = async (): Promise<void> =>
        void (await decodeBody(FORM, body, undefined, redactor));
      const { oursMs, baselineMs, ratio } = await compare(rounds, {
        ours,
        baseline: () => void JSON.parse(body),
      });
      rows.push({
        name: `hostile: ${name}`,
        size,
        ours: milliseconds(oursMs),
        baseline: milliseconds(baselineMs),
        ratio,
        note: `${grouped(body.length / 1_000)} kB`,
      });
    }
  return rows;
}

const FORM: BodyForm = {
  endpoint: "disabled",
  instants: "milliseconds",
  ignore: [],
  accepted: new Set(),
};
const SECRET = "a-secret-that-comes-back";

/** What the listing itself holds, beside what is hostile. */
const NOTHING = `"exchanges":[],"pairs":[]`;

const BODIES: Readonly<Record<string, (size: number) => string>> = {
  keys: (size) => object(size, (index) => `"k${index}":0`),
  "one key again and again": (size) => object(size, () => `"a":0`),
  "objects that share one key": (size) =>
    `{"a":${object(size, (index) => `"k${index}":0`, `"z":0`)},${list(size, (index) => `"b${index}":{"z":0}`)},${NOTHING}}`,
  "codes and messages": (size) =>
    object(size, (index) => `"code${dashes(index)}":"E","msg${dashes(index)}":"hm"`),
  "a long message": (size) => `{"code":1,"msg":"ok${":".repeat(size)}",${NOTHING}}`,
  "lists of an object": (size) => object(size, (index) => `"k${index}":[{}]`),
  "lists in place of names": (size) => `{"exchanges":[${list(size, () => "[]")}],"pairs":[]}`,
  "names with a secret": (size) =>
    `{"exchanges":[${list(size, (index) => `"${SECRET}${index}"`)}],"pairs":[]}`,
  "names with a secret, escaped": (size) =>
    `{"exchanges":[${list(size, (index) => `"${SECRET.replaceAll("-", "%2D")}${index}"`)}],"pairs":[]}`,
};

/** Keys of which only the letters count. */
function dashes(index: number): string {
  return index.toString(2).replaceAll("0", "-").replaceAll("1", "_");
}

function list(size: number, entry: (index: number) => string): string {
  return Array.from({ length: size }, (_, index) => entry(index)).join(",");
}

function object(size: number, field: (index: number) => string, more = NOTHING): string {
  return `{${list(size, field)},${more}}`;
}
