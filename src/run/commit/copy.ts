/** A copy of a value that can be written as JSON, in a tenth of the time of `structuredClone`. */
export function copyOf<Value>(value: Value): Value;
export function copyOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one: unknown) => copyOf(one));
  // What is spread is its own, also a key such as `__proto__`.
  const copy: Record<string, unknown> = { ...value };
  for (const key of Object.keys(copy)) {
    const one = copy[key];
    if (typeof one === "object") copy[key] = copyOf(one);
  }
  return copy;
}
