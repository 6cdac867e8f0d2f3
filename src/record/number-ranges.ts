/** Whole numbers as ranges: the first of each and how many it has, one after the other. */
export function packNumbers(numbers: readonly number[]): number[] {
  const packed: number[] = [];
  let next = Number.NaN;
  for (const number of numbers.toSorted((one, other) => one - other)) {
    if (number === next) packed.push((packed.pop() ?? 0) + 1);
    else packed.push(number, 1);
    next = number + 1;
  }
  return packed;
}

/** The inverse, in rising order. */
export function* unpackNumbers(packed: readonly number[]): Generator<number> {
  for (let index = 0; index + 1 < packed.length; index += 2) {
    const [first = 0, count = 0] = packed.slice(index, index + 2);
    for (let number = first; number < first + count; number += 1) yield number;
  }
}
