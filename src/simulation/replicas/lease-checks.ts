import { HOME, sendersNumber, unitOfSender } from "../../domain/lease.ts";
import { identifierKey } from "../../domain/identifier.ts";
import { SECOND, type Instant, type Millis } from "../../domain/time.ts";
import type { SentRequest } from "../machine/network.ts";
import type { Tenure } from "./tenure.ts";

/** Which requests a replica may send, by the answers that it got, by its leases in the database, and by its units. */

type LeaseWorld = {
  readonly now: Instant;
  /** The replica, and the name of its process as an owner of leases. */
  readonly name: string;
  readonly as: string;
  readonly tenure: Tenure;
  readonly leasedUntil: (unit: string, owner: string, epoch: number) => Instant | undefined;
  /** How long a request that acts may take at most. */
  readonly longestRequestMs: Millis;
  readonly shards: number;
};

/** A delivery that has begun may be tried once more. */
const ENDS_WITHIN: Millis = SECOND;

/** Why the request should not have been sent; empty if nothing is wrong. */
export function wrongToLeave(world: LeaseWorld, request: SentRequest): string[] {
  const found = [standing(world, request), ofOtherUnit(world, request)];
  if (request.purpose === "act") found.push(outlasting(world));
  return found.flatMap((one) => one ?? []);
}

/** A replica that has learned that another has its lease sends nothing more. */
function standing({ now, name, tenure }: LeaseWorld, { purpose }: SentRequest): string | undefined {
  const endsWithin = purpose === "act" ? 0 : ENDS_WITHIN;
  const { unit, epoch, lostAt } = tenure;
  if (lostAt === undefined || now - lostAt <= endsWithin) return undefined;
  const ago = `${Math.round(now - lostAt)} ms ago`;
  return `${name} asks for ${unit} in epoch ${epoch}; it learned ${ago} that another has the lease`;
}

/** An action must end within the lease, by the database and not by what the replica believes. */
function outlasting(world: LeaseWorld): string | undefined {
  const { now, name, as, tenure, leasedUntil, longestRequestMs } = world;
  const { unit, epoch } = tenure;
  if (unit !== HOME) return `${name} sends an action for ${unit}`;
  const until = leasedUntil(unit, as, epoch) ?? Number.NEGATIVE_INFINITY;
  const leftMs = until - now;
  if (leftMs >= longestRequestMs) return undefined;
  const left = Number.isFinite(leftMs) ? `${Math.round(leftMs)} ms of its lease` : "no lease";
  return `${name} sends an action in epoch ${epoch}, and has ${left} left`;
}

/** Each sender is read only by its own unit. */
function ofOtherUnit(
  { name, tenure: { unit }, shards }: LeaseWorld,
  { outgoing }: SentRequest,
): string | undefined {
  const sender = outgoing.url.searchParams.get("sender");
  if (shards === 0 || sender === null) return undefined;
  const own = unitOfSender(identifierKey(sender), shards);
  if (sendersNumber(unit) === own) return undefined;
  return `${name} asks for ${sender} as ${unit}, and it is of senders/${own}`;
}

/** How units are shared, if one has no owner or a replica has two more than another; undefined otherwise. */
export function unsharedUnits(
  replicas: ReadonlyArray<{ readonly name: string }>,
  count: (replica: object) => number,
  shards: number,
): string | undefined {
  const counts = replicas.map(count);
  const isEven = Math.max(...counts) - Math.min(...counts) <= 1;
  if (isEven && counts.reduce((sum, own) => sum + own) === shards) return undefined;
  const shares = replicas.map(({ name }, index) => `${name} ${counts[index] ?? 0}`).join(", ");
  return `of ${shards} units the replicas own at the end: ${shares}`;
}
