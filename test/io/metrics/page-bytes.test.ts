import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPageWriter, kept, pageOf, type Chunk } from "../../../src/io/metrics/page-bytes.ts";
import { textOf } from "./scrape.ts";

/** A text of so many lines, the last of which are other ones for each seed. */
const textWith = (lines: number, seed: number): string =>
  Array.from({ length: lines }, (_, index) => `a{n="${index}"} ${(index * seed) % 97}é\n`).join("");

const chunkOf = (text: string): Chunk => ({ bytes: Buffer.from(text) });

describe("a page that is put together", () => {
  it("is its pieces in their order, whole and compressed", async () => {
    const piece = fc.record({
      lines: fc.constantFrom(0, 1, 40, 3_000, 20_000),
      seed: fc.nat({ max: 9 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
        const texts = pieces.map(({ lines, seed }) => textWith(lines, seed));
        const { add, end } = createPageWriter();
        for (const text of texts) add(kept(text));
        const page = end();
        const whole = texts.join("");
        expect(textOf(page)).toBe(whole);
        expect(page.length).toBe(Buffer.byteLength(whole));
        expect(gunzipSync(await page.gzipped()).toString()).toBe(whole);
      }),
      { numRuns: 25, seed: 42 },
    );
  });

  it("keeps long texts apart, and short ones with what is beside them", () => {
    expect(kept(textWith(10, 1))).toBe(textWith(10, 1));
    expect(kept(textWith(5_000, 1))).toEqual(chunkOf(textWith(5_000, 1)));
  });
});

describe("a chunk", () => {
  it.each([5_000, 20_000])(
    "of %i lines is compressed once for all pages that have it",
    async (n) => {
      const chunk = chunkOf(textWith(n, 3));
      await pageOf([chunkOf("a 1\n"), chunk]).gzipped();
      const { deflated } = chunk;
      expect(deflated).toBeDefined();
      const next = pageOf([chunkOf("a 2\n"), chunk]);
      expect(gunzipSync(await next.gzipped())).toEqual(next.plain());
      expect(chunk.deflated).toBe(deflated);
    },
  );
});

it("scrapers that share a page share its compressed form", () => {
  const page = pageOf([chunkOf("a 1\n")]);
  expect(page.gzipped()).toBe(page.gzipped());
});
