/** Who is to own each unit, of the replicas that live; the same at each of them, as all read the same rows. */
type Assignment = ReadonlyMap<string, string>;

/**
 * Shares units out evenly: no replica has two more than another. A unit stays with its owner unless that one has more
 * than its part, so nothing moves without need; what has no living owner goes to those that have fewest.
 */
export function assign(
  units: readonly string[],
  owners: ReadonlyMap<string, string>,
  live: readonly string[],
): Assignment {
  if (live.length === 0) return new Map();
  const held = new Map(live.map((owner): [string, string[]] => [owner, []]));
  for (const unit of units) held.get(owners.get(unit) ?? "")?.push(unit);
  // Those that have most keep one more, if the units do not come out even.
  const byHeld = [...held].toSorted(
    ([one, first], [other, second]) => second.length - first.length || (one < other ? -1 : 1),
  );
  const [each, over] = [Math.floor(units.length / live.length), units.length % live.length];
  const assigned = new Map<string, string>();
  const room: string[] = [];
  for (const [index, [owner, own]] of byHeld.entries()) {
    const part = each + (index < over ? 1 : 0);
    for (const unit of own.slice(0, part)) assigned.set(unit, owner);
    for (let free = own.length; free < part; free += 1) room.push(owner);
  }
  for (const unit of units) {
    if (assigned.has(unit)) continue;
    const owner = room.shift();
    if (owner !== undefined) assigned.set(unit, owner);
  }
  return assigned;
}
