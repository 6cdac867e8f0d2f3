import { placeProblem, type Layers } from "./yaml/layers.ts";
import { isRecord, putAt, valueAt } from "../domain/values/plain-values.ts";
import type { Problem } from "./problem.ts";

/**
 * Renamed keys of the config, and their variables. The old name works for one more version, with a warning. A wrong
 * value is reported at the key as it is written.
 */
type RenamedKey = { readonly before: readonly string[]; readonly now: readonly string[] };

export const RENAMED_KEYS: readonly RenamedKey[] = [
  { before: ["notify", "page_url"], now: ["server", "external_url"] },
];

/** Moves the values of old keys to the new ones. It is an error to give both. */
export function moveRenamedKeys(layers: Layers): Problem[] {
  return RENAMED_KEYS.flatMap(({ before, now }) => {
    const parent = valueAt(layers.value, before.slice(0, -1));
    const [last = ""] = before.slice(-1);
    if (!isRecord(parent) || !Object.hasOwn(parent, last)) return [];
    const { [last]: value } = parent;
    const names = { before: before.join("."), now: now.join(".") };
    const problem = (details: Pick<Problem, "id" | "message" | "hint">): Problem =>
      placeProblem(layers, { ...details, path: before, at: "key" });
    delete parent[last];
    if (valueAt(layers.value, now) !== undefined)
      return [
        problem({
          id: "config/contradiction",
          message: `"${names.before}" is called "${names.now}" now, and both are given`,
          hint: `take "${names.before}" out`,
        }),
      ];
    putAt(layers.value, now, value);
    layers.moved.push({ from: before, to: now });
    return [
      {
        severity: "warning",
        ...problem({
          id: "config/renamed-key",
          message: `"${names.before}" is called "${names.now}" now; the old name goes with the next version`,
          hint: `write ${names.now}: it means the same`,
        }),
      },
    ];
  });
}
