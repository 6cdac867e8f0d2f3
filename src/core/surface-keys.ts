/**
 * The keys of a surface's entities, in the order in which they came. A large deployment has ten thousand surfaces with a
 * few each, and an array takes a third of a Set's memory. An array is replaced, never changed.
 */
export type SurfaceKeys = readonly string[] | Set<string>;

export const NO_KEYS: readonly string[] = [];

/** Up to this length, searching an array is as fast as a Set. */
const FEW = 16;

export function hasKey(keys: SurfaceKeys, key: string): boolean {
  return isFew(keys) ? keys.includes(key) : keys.has(key);
}

export function countKeys(keys: SurfaceKeys): number {
  return isFew(keys) ? keys.length : keys.size;
}

/** With one more, if it is not there yet. */
export function withKey(keys: SurfaceKeys, key: string): SurfaceKeys {
  if (!isFew(keys)) return keys.add(key);
  if (keys.includes(key)) return keys;
  // A new array of the exact length: one that grows by itself reserves room for many more.
  return keys.length < FEW ? [...keys, key] : new Set([...keys, key]);
}

/** Removes a key, and with its last key the surface. */
export function removeKey(index: Map<string, SurfaceKeys>, surface: string, key: string): void {
  const keys = index.get(surface);
  if (keys === undefined) return;
  if (!isFew(keys)) keys.delete(key);
  else if (keys.includes(key))
    index.set(
      surface,
      keys.filter((one) => one !== key),
    );
  if (countKeys(index.get(surface) ?? NO_KEYS) === 0) index.delete(surface);
}

function isFew(keys: SurfaceKeys): keys is readonly string[] {
  return Array.isArray(keys);
}
