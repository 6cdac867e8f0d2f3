import type { LeftUnits } from "../../io/postgres/presence.ts";

/** Who is to own each unit, of the replicas that live; the same at each of them, as all read the same rows. */
type Assignment = ReadonlyMap<string, string>;

/**
 * Shares units out evenly: no replica has two more than another. A unit stays with its owner unless that one has more
 * than its part, so nothing moves without need; what has no living owner goes to those that have fewest. A replica gets
 * none of the units that it leaves to the others, even if they then have more than it; if all leave a unit, any gets it.
 */
export function assign(
  units: readonly string[],
  owners: ReadonlyMap<string, string>,
  live: readonly string[],
  left: LeftUnits = new Map(),
): Assignment {
  const takes = takersOf(live, left);
  const held = new Map(live.map((owner): [string, string[]] => [owner, []]));
  // What another leaves is kept first: the others can take anything else.
  const choosy = units.filter((unit) => left.has(unit));
  const ordered = [...choosy, ...units.filter((unit) => !left.has(unit))];
  for (const unit of ordered) {
    const owner = owners.get(unit) ?? "";
    if (takes(owner, unit)) held.get(owner)?.push(unit);
  }
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
  for (const unit of ordered) {
    if (assigned.has(unit)) continue;
    const place = room.findIndex((owner) => takes(owner, unit));
    const [owner = beyondItsPart(unit)] = place === -1 ? [] : room.splice(place, 1);
    if (owner !== undefined) assigned.set(unit, owner);
  }
  return assigned;

  /** Only replicas that leave the unit have room, so it stays where it is, or goes to one that has fewest. */
  function beyondItsPart(unit: string): string | undefined {
    const owner = owners.get(unit) ?? "";
    if (live.includes(owner) && takes(owner, unit)) return owner;
    const counts = Map.groupBy(assigned.values(), (one) => one);
    const count = (one: string): number => counts.get(one)?.length ?? 0;
    return live
      .filter((one) => takes(one, unit))
      .toSorted((one, other) => count(one) - count(other) || (one < other ? -1 : 1))[0];
  }
}

/** Whether a replica may get a unit. */
function takersOf(live: readonly string[], left: LeftUnits) {
  return (owner: string, unit: string): boolean => {
    const by = left.get(unit) ?? [];
    return !by.includes(owner) || live.every((one) => by.includes(one));
  };
}
