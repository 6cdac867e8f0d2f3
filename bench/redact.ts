import { createHash } from "node:crypto";
import { createRedactor } from "../src/io/redact/redactor.ts";
import { compare, type Rounds } from "./measure.ts";
import { grouped, milliseconds, type Row } from "./table.ts";

/** The search of a listing for secrets that it does not hold, beside `JSON.parse` of the same bytes. */
export async function benchRedact(sizes: readonly number[], rounds: Rounds): Promise<Row[]> {
  const secrets = Array.from({ length: SECRETS }, (_, index) => digest(index, "base64url"));
  const { redact } = createRedactor(secrets);
  const rows: Row[] = [];
  for (const size of sizes)
    for (const [name, bodyOf] of Object.entries(LISTINGS)) {
      const body = Buffer.from(bodyOf(size)).toString();
      const turns = size < 10_000 ? 10 : 2;
      const work = { turns, ours: () => void redact(body), baseline: () => void JSON.parse(body) };
      const { oursMs, baselineMs, ratio } = await compare(rounds, work);
      rows.push({
        name: `redact: ${name}`,
        size,
        ours: milliseconds(oursMs),
        baseline: milliseconds(baselineMs),
        ratio,
        note: `${grouped(body.length / 1_000)} kB, ${grouped(body.length / oursMs / 1_000)} MB/s, ${SECRETS} secrets`,
      });
    }
  return rows;
}

/** As a large config has. */
const SECRETS = 8;

const LISTINGS: Readonly<Record<string, (size: number) => string>> = {
  names: (size) => listing(size, (index) => `EXCHANGE${index}`),
  // All of it is searched twice.
  "pairs with escaped slashes": (size) =>
    listing(size, (index) => `AB${index}/USDT`).replaceAll("/", "\\/"),
  // Of the digits that the secrets have in hexadecimal.
  "hashes of swaps": (size) =>
    listing(size, (index) => ({ status: "ACTIVE", secretHash: `0x${digest(index, "hex")}` })),
};

function listing(size: number, entry: (index: number) => unknown): string {
  return JSON.stringify(Array.from({ length: size }, (_, index) => entry(index)));
}

function digest(index: number, encoding: "hex" | "base64url"): string {
  return createHash("sha256").update(`${encoding} ${index}`).digest(encoding);
}
