/** Each entry that has the name of an earlier one, with the first of that name. */
export function sameNames<Entry extends { readonly name: string }>(
  entries: readonly Entry[],
): ReadonlyArray<readonly [entry: Entry, first: Entry]> {
  const firsts = new Map<string, Entry>();
  return entries.flatMap((entry) => {
    const first = firsts.get(entry.name);
    if (first === undefined) firsts.set(entry.name, entry);
    return first === undefined ? [] : [[entry, first] as const];
  });
}
