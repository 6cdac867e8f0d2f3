import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";

const axe = readFileSync(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");

type Finding = { readonly id: string; readonly nodes: ReadonlyArray<{ readonly html: string }> };

/** What axe finds wrong on the page, as text. */
export async function faultsOf(page: Page): Promise<string[]> {
  // The page's policy allows no other script; a debugger may run it all the same.
  await page.evaluate(axe);
  const { violations } = await page.evaluate<{ violations: Finding[] }>(
    "axe.run(document, { resultTypes: ['violations'] })",
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ html }) => `${id}: ${html}`),
  );
}

const SIZES = [
  { width: 390, height: 844 },
  { width: 1_440, height: 900 },
  { width: 3_840, height: 2_160 },
];

/** The same, and what is wider than the screen, on a phone, a desktop and a wall, light and dark. */
export async function faultsEverywhere(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const size of SIZES) {
    await page.setViewportSize(size);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const where = `${size.width} px, ${colorScheme}`;
      faults.push(...(await faultsOf(page)).map((fault) => `${where}: ${fault}`));
    }
    const width = await page.evaluate<number>("document.documentElement.scrollWidth");
    if (width > size.width) faults.push(`${size.width} px: it is ${width} px wide`);
  }
  return faults;
}
