/** How far the page keys go. */
const PAGE = 10;

/**
 * Where a key leads from one of so many in a row, as on a slider: arrows by one, page keys by ten, Home and End to the
 * ends. Undefined of any other key.
 */
export function steppedTo(key: string, from: number, count: number): number | undefined {
  const wanted = new Map([
    ["ArrowLeft", from - 1],
    ["ArrowDown", from - 1],
    ["ArrowRight", from + 1],
    ["ArrowUp", from + 1],
    ["PageDown", from - PAGE],
    ["PageUp", from + PAGE],
    ["Home", 0],
    ["End", count - 1],
  ]).get(key);
  return wanted === undefined ? undefined : Math.min(count - 1, Math.max(0, wanted));
}
