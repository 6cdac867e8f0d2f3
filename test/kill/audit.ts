import type { Alert } from "../../src/domain/alert.ts";
import type { Entity } from "../../src/domain/entity.ts";
import { isSettled, type Remediation } from "../../src/domain/remediation.ts";
import type { Request } from "./aggregator.ts";
import type { JournalPicture } from "./house.ts";

/** What is checked of the journals that killed daemons left, and of the aggregator's request log. */

export function rowsOf<Row>(picture: JournalPicture, table: string): Map<string, Row> {
  return new Map(
    picture.rows.filter((row) => row.table === table).map(({ key, value }) => [key, value as Row]),
  );
}

/** What a later journal lost or changed that an earlier one had for good. */
export function brokenMemories(
  before: JournalPicture,
  after: JournalPicture,
  witness: string,
): string[] {
  const broken: string[] = [];
  const entities = rowsOf<Entity>(after, "entity");
  for (const [key, entity] of rowsOf<Entity>(before, "entity")) {
    if (entity.kind !== "exchange") continue;
    const now = entities.get(key)?.firstSeen;
    if (now !== entity.firstSeen) broken.push(`first_seen of ${key}: ${entity.firstSeen}, ${now}`);
  }
  const remediations = rowsOf<Remediation>(after, "remediation");
  for (const [id, remediation] of rowsOf<Remediation>(before, "remediation")) {
    const now = remediations.get(id);
    if (now?.requestedAt !== remediation.requestedAt) broken.push(`remediation ${id} is lost`);
    else if (isSettled(remediation) && now.state !== remediation.state) {
      broken.push(`remediation ${id} was ${remediation.state}, is ${now.state}`);
    }
  }
  // This one is disabled all the time, and its rule never acts on it: it must fire all the time.
  const alertOf = (picture: JournalPicture): Alert | undefined =>
    [...rowsOf<Alert>(picture, "alert").values()].find(({ key }) => key.endsWith(witness));
  const [was, is] = [alertOf(before), alertOf(after)];
  if (was?.state === "firing") {
    if (is?.state !== "firing") broken.push(`the alert of ${witness} does not fire any more`);
    if (is?.startedAt !== was.startedAt || is.firedAt !== was.firedAt) {
      broken.push(`the alert of ${witness} began again`);
    }
  }
  return broken;
}

export type Budget = { readonly max: number; readonly perMs: number };

/** Both read the clock of one machine, each for itself. */
const CLOCKS_DIFFER_MS = 300;

export type SendingAudit = {
  readonly sent: number;
  readonly requested: number;
  /** A second request for one remediation, or one without any. */
  readonly duplicates: readonly string[];
  readonly outsideBudget: readonly string[];
};

/** Every request that acts must have a remediation of its own, which was committed before it. */
export function auditSending(
  log: readonly Request[],
  picture: JournalPicture,
  budgets: Readonly<Record<string, Budget>> & { readonly global: Budget },
): SendingAudit {
  const all = [...rowsOf<Remediation>(picture, "remediation").values()].toSorted(
    (one, other) => one.requestedAt - other.requestedAt,
  );
  // What was not sent, as it could not be written down first, spends no budget; and it must not have been sent.
  const remediations = all.filter(({ unsent }) => unsent !== true);
  const posts = log.filter(({ method }) => method !== "GET");
  const used = new Set<string>();
  const duplicates: string[] = [];
  /** How long after its decision each request arrived. */
  const delays: string[] = [];
  for (const post of posts) {
    const owner = all.findLast(
      ({ entity, requestedAt }) =>
        post.path.endsWith(`/toggle/${entity.id}`) && requestedAt <= post.at + CLOCKS_DIFFER_MS,
    );
    const name = `${post.method} ${post.path} at ${post.at}`;
    if (owner === undefined) duplicates.push(`${name} without a remediation`);
    else if (owner.unsent === true) duplicates.push(`${name}: ${owner.id} is written as unsent`);
    else if (used.has(owner.id)) duplicates.push(`${name}: again for ${owner.id}`);
    else used.add(owner.id);
    delays.push(`${post.at}: ${owner === undefined ? "?" : post.at - owner.requestedAt}`);
  }
  const outsideBudget = [
    ...Object.entries(budgets).flatMap(([rule, budget]) => {
      const own = remediations.filter((one) => rule === "global" || one.rule === rule);
      const instants = own.map(({ requestedAt }) => requestedAt);
      return overspent(instants, budget.max, budget.perMs).map((at) => `${rule} at ${at}`);
    }),
    ...overspent(
      posts.map(({ at }) => at),
      budgets.global.max,
      budgets.global.perMs - 3 * CLOCKS_DIFFER_MS,
    ).map((at) => `requests that arrived, at ${at} (ms after the decisions: ${delays.join(", ")})`),
  ];
  return { sent: posts.length, requested: remediations.length, duplicates, outsideBudget };
}

/** The instants at which more than so many lie within the window that ends there. */
function overspent(instants: readonly number[], max: number, perMs: number): number[] {
  return instants.filter(
    (end) => instants.filter((at) => at <= end && at > end - perMs).length > max,
  );
}
