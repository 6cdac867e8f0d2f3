import { variableName } from "../src/config/settings/environment.ts";
import { settingsSchema } from "../src/config/settings/settings-schema.ts";
import { PREFIX } from "../src/config/variables.ts";
import { notifiers } from "../src/notifiers/index.ts";
import type { Leaf } from "../src/schema/walk.ts";
import { code, defaultText, leavesOf, meaningOf, pathOf, placeholder, table } from "./describe.ts";

/**
 * The tables of the config's keys. What many keys have in common is written once, as in Prometheus' docs: a key of every
 * channel, and the mappings that say how a server is reached. Two keys that share a row must have the same default and
 * meaning.
 */

const SECTIONS = ["process", "aggregators", "notify", "channels", "connection"];

type Row = { readonly section: string; readonly cells: readonly string[] };

/** The mappings that say how a server is reached, wherever they occur. */
const CONNECTION: ReadonlySet<string> = new Set(["auth", "tls", "proxy"]);

/** The uses that each have a credential of their own below `auth`. */
const USES: ReadonlySet<string> = new Set(["read", "act"]);

const CHANNEL = "<channel>";

/** The keys of the config by section: each with its default, its variable and its meaning. */
export function describeSettings(): ReadonlyMap<string, string> {
  const leaves = leavesOf(settingsSchema);
  const rows = new Map<string, Row>();
  for (const row of leaves.flatMap((leaf) => rowsOf(leaf, leaves))) {
    const name = `${row.section} ${row.cells[0]}`;
    const before = rows.get(name);
    if (before !== undefined && before.cells.join() !== row.cells.join())
      throw new Error(`${name} means two things: ${before.cells.join()}; ${row.cells.join()}`);
    rows.set(name, row);
  }
  return new Map(SECTIONS.map((section) => [section, tableOf(section, [...rows.values()])]));
}

function tableOf(section: string, rows: readonly Row[]): string {
  const isOfMany = ({ cells }: Row): boolean => cells[0]?.includes(CHANNEL) ?? false;
  const cells = rows
    .filter((row) => row.section === section)
    .toSorted((one, other) => Number(isOfMany(other)) - Number(isOfMany(one)))
    .map((row) => row.cells);
  return table(["Key", "Default", "Environment variable", "Meaning"], cells);
}

/** A leaf's row; or the row of the mapping that it is in, and the leaf's among those of that mapping. */
function rowsOf(leaf: Leaf, leaves: readonly Leaf[]): Row[] {
  const path = generalized(leaf, leaves);
  const section = sectionOf(path);
  const at = path.findIndex((step) => CONNECTION.has(step));
  const mapping = path[at];
  if (mapping === undefined) return [{ section, cells: cellsOf({ ...leaf, path }) }];
  const end = USES.has(path[at + 1] ?? "") ? at + 2 : at + 1;
  const below = { ...leaf, path: [mapping, ...path.slice(end)] };
  const owner = { ...leaf, path: path.slice(0, end) };
  const variable = code(`${PREFIX}${variableName(owner.path.map(placeholder))}_…`);
  const see = `See [\`${mapping}\`](#auth-tls-and-proxy).`;
  return [
    { section, cells: [code(pathOf(owner)), "–", variable, see] },
    { section: "connection", cells: cellsOf(below, "…_") },
  ];
}

function cellsOf(leaf: Leaf, before = PREFIX): string[] {
  const variable = before + variableName(leaf.path.map(placeholder));
  return [code(pathOf(leaf)), defaultText(leaf), code(variable), meaningOf(leaf)];
}

/** The path with a placeholder for the channel, if most lists of channels have the key with this meaning. */
function generalized(leaf: Leaf, leaves: readonly Leaf[]): readonly string[] {
  if (!isOfChannel(leaf)) return leaf.path;
  const ofChannels = leaves.filter(isOfChannel);
  const [, , ...below] = leaf.path;
  const alike = ofChannels.filter(
    ({ path, description }) =>
      description === leaf.description && path.slice(2).join() === below.join(),
  );
  const channels = new Set(ofChannels.map(({ path }) => path[1]));
  return alike.length * 2 > channels.size ? ["notify", CHANNEL, ...below] : leaf.path;
}

function isOfChannel({ path }: Leaf): boolean {
  return path[0] === "notify" && path[2] === "[]" && notifiers.some(({ key }) => key === path[1]);
}

function sectionOf(path: readonly string[]): string {
  if (path[0] === "notify" && path[2] === "[]") return "channels";
  return path[0] === "notify" || path[0] === "aggregators" ? path[0] : "process";
}
