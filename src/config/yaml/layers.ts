import { parse } from "yaml";
import type { FieldForm } from "../../schema/walk.ts";
import { isRecord, putAt } from "../../domain/values/plain-values.ts";
import { startsWith } from "./known-problems.ts";
import { pathText, placerInScalar, problemAtPath } from "./yaml-source.ts";
import type { YamlPath, YamlSource } from "./yaml-source.ts";
import type { ShapeProblem } from "./shape-problem.ts";
import type { Problem } from "../problem.ts";

/**
 * The config is laid over itself: flag over environment variable over file over default. Each value
 * remembers where it came from, so that a problem names the place that the user can change.
 */
export type Layers = {
  readonly source: YamlSource | undefined;
  readonly origins: Origin[];
  /** Values that are at another path than they are written at, as their key has a new name. */
  readonly moved: Moved[];
  value: Record<string, unknown>;
};

/** A value that did not come from the file. */
type Origin = { readonly path: YamlPath; readonly name: string };

/** The path of a value as it is written, and as the schema has it. */
type Moved = { readonly from: YamlPath; readonly to: YamlPath };

export function layersOf(source: YamlSource | undefined): Layers {
  const value: unknown = structuredClone(source?.value ?? {});
  return { source, origins: [], moved: [], value: isRecord(value) ? value : {} };
}

/** Lays one value over the others. The path comes from the schema, never from a user. */
export function overlay(layers: Layers, path: YamlPath, value: unknown, name: string): void {
  putAt(layers.value, path, value);
  layers.origins.push({ path, name });
}

/** The variable or flag that the value at a path came from; undefined for the file and for a default. */
function originOf(layers: Layers, path: YamlPath): string | undefined {
  // The last one that was laid over is the one that counts.
  return layers.origins.findLast(({ path: origin }) => startsWith(path, origin))?.name;
}

/** A problem of the laid-over config, at the place that it came from. */
export function placeProblem(layers: Layers, problem: ShapeProblem): Problem {
  const { path: inSchema, at, offset, ...details } = problem;
  const path = writtenAt(layers, inSchema);
  const origin = originOf(layers, path);
  const { source } = layers;
  if (origin !== undefined || source === undefined) {
    const file = origin ?? "configuration";
    return { ...details, file, line: 0, column: 0, path: pathText(path) };
  }
  if (offset === undefined) return problemAtPath(source, path, details, at);
  const place = placerInScalar(source, path);
  return place({ start: offset, end: offset + 1 }, { ...details, path: pathText(path) });
}

function writtenAt({ moved }: Layers, path: YamlPath): YamlPath {
  return moved.find(({ to }) => pathText(to) === pathText(path))?.from ?? path;
}

/** Reads the text of a variable or flag as its key wants it; what does not fit is left as text. */
export function readText(form: FieldForm, text: string): unknown {
  if (form === "number") return /^[+-]?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
  if (form === "truth") return text === "true" ? true : text === "false" ? false : text;
  if (form === "map") return readFlow(text);
  if (form === "list" || form === "numbers") {
    if (text.trim().startsWith("[")) return readFlow(text);
    const items = text.split(",").map((item) => item.trim());
    return form === "list" ? items : items.map((item) => readText("number", item));
  }
  return text;
}

function readFlow(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 0, stringKeys: true, logLevel: "error" });
  } catch {
    return text;
  }
}
