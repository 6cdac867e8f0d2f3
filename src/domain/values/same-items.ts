/** Whether two lists hold the very same items in the same order. */
export function haveSameItems(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}
