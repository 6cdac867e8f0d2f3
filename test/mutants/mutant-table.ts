import type { Hunted } from "./hunt-core.ts";
import type { CoreMutant } from "./mutant.ts";

/** Where the table of the mutants is kept. */
export const DOCUMENT = "docs/simulation.md";

const BEGIN = "<!-- core mutants: begin -->";
const END = "<!-- core mutants: end -->";

/**
 * Every mutant, and which invariant found it at which seed. Of one that was not hunted now, what the
 * document says of it stays.
 */
export function mutantTable(
  mutants: readonly CoreMutant[],
  hunted: ReadonlyMap<string, Hunted>,
  seeds: number,
  document: string,
): string {
  const earlier = new Map(
    document.split("\n").flatMap((line) => {
      const name = /^\| ([\w-]+) \|/.exec(line)?.[1];
      return name === undefined ? [] : [[name, line] as const];
    }),
  );
  const rows = mutants.map(({ name, file, means, survives }) => {
    const done = hunted.get(name);
    const known = earlier.get(name);
    if (done === undefined && known !== undefined) return known;
    const by =
      done?.seed === undefined
        ? `${survives === undefined ? "survived" : "none"}${survives === undefined ? "" : `: ${survives}`}`
        : (done.invariant ?? "");
    const cells = [
      name,
      means,
      `\`${file}\``,
      by,
      done?.seed ?? "",
      done?.seconds.toFixed(1) ?? "",
    ];
    return `| ${cells.join(" | ")} |`;
  });
  return [
    `Each is tried on seeds 1, 2, … until a run finds a violation, and on ${seeds} at most.`,
    "",
    "| mutant | the mistake | in | found by | seed | seconds |",
    "|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

/** The document with another table in its place. */
export function withTable(document: string, table: string): string {
  const [before, rest] = document.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) {
    throw new Error(`${DOCUMENT} has no place for the table: ${BEGIN} … ${END}`);
  }
  return `${before}${BEGIN}\n${table}\n${END}${after}`;
}
