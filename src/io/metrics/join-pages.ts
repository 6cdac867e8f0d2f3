import { pageOf, type Page } from "./page-bytes.ts";
import { endOf, type Format } from "./text-format.ts";

/** What a unit of senders says of itself, beside the page of the process. */
export type UnitPage = { readonly unit: string; readonly page: Page };

/** Of the process, so that its own page says them for all units. */
const OF_PROCESS = /^(?:process_|nodejs_|aggwatch_event_loop_)/;

/** The label that each series of a unit has beside its own. */
export const UNIT_LABEL = "unit";

const OWNER = "aggwatch_replica_owner";

type Family = { readonly head: string[]; readonly samples: string[] };

/**
 * One page of several: each series of a unit has the label `unit`, and each family stands once. Of units that others own
 * it is said that they are not owned here, so that one without an owner is noticed.
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

/** The lines before a family's samples are those of the page that has it first. */
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
