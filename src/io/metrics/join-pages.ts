import { pageOf, type Page } from "./page-bytes.ts";
import { endOf, type Format } from "./text-format.ts";

/** The page of a unit of senders, beside the page of the process. */
export type UnitPage = { readonly unit: string; readonly page: Page };

/** Families of the process, which stand once, on its own page. */
const OF_PROCESS = /^(?:process_|nodejs_|aggwatch_event_loop_|aggwatch_started_)/;

/** The additional label of each series of a unit. */
export const UNIT_LABEL = "unit";

const OWNER = "aggwatch_replica_owner";

type Family = { readonly head: string[]; readonly samples: string[] };

/**
 * Joins several pages: each series of a unit gets the label `unit`, and each family stands once. A unit that is not
 * owned here has the owner series 0, so that a unit without any owner is noticed.
 */
export function joinPages(
  format: Format,
  own: Page,
  units: readonly UnitPage[],
  unowned: readonly string[],
): Page {
  const families = new Map<string, Family>();
  const decoder = new TextDecoder();
  addPage(families, decoder.decode(own.plain()));
  for (const { unit, page } of units) addPage(families, decoder.decode(page.plain()), unit);
  for (const unit of unowned) families.get(OWNER)?.samples.push(withUnit(`${OWNER} 0`, unit));
  const parts = [...families.values()].flatMap(({ head, samples }) => [...head, ...samples]);
  return pageOf([{ bytes: Buffer.from(`${parts.join("\n")}\n${endOf(format)}`) }]);
}

/** The head of a family is that of the first page with it. */
function addPage(families: Map<string, Family>, page: string, unit?: string): void {
  const before = new Set(families.keys());
  let current: Family = { head: [], samples: [] };
  for (const line of page.split("\n")) {
    if (line === "" || line === "# EOF") continue;
    if (line.startsWith("# ")) {
      const [, , name = ""] = line.split(" ", 3);
      current = families.get(name) ?? { head: [], samples: [] };
      families.set(name, current);
      if (!before.has(name)) current.head.push(line);
    } else if (unit === undefined) current.samples.push(line);
    else if (!OF_PROCESS.test(line)) current.samples.push(withUnit(line, unit));
  }
}

function withUnit(line: string, unit: string): string {
  const end = /[{ ]/.exec(line)?.index ?? line.length;
  const rest = line[end] === "{" ? `,${line.slice(end + 1)}` : `}${line.slice(end)}`;
  return `${line.slice(0, end)}{${UNIT_LABEL}="${unit}"${rest}`;
}
