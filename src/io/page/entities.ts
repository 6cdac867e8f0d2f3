import { html } from "hono/html";
import type { AggregatorStatus, EntityStatus, Status } from "../../core/explain/status.ts";
import { isReading } from "../../domain/shown/reading.ts";
import { ago, factsText, leftOut, nameOf, section, table, type Markup } from "./parts.ts";

/** The most rows of a kind, so that a person can read the page, however much is watched. */
export const MOST_ROWS = 100;

/** One aggregator: its pollers, and its entities kind by kind, the worst first. */
export function aggregatorSection(status: Status, aggregator: AggregatorStatus): Markup {
  const ranks = alertRanks(status, aggregator.name);
  const kinds = Map.groupBy(aggregator.entities, (entity) => entity.kind);
  return section(
    `Aggregator ${aggregator.name}`,
    html`${pollerTable(status, aggregator.pollers)} ${blindTable(aggregator.coverage)}
    ${[...kinds].map(([kind, entities]) => kindTable(status, kind, entities, ranks))}`,
  );
}

/** The rules that cannot decide on some of what was read; none if they all can. */
function blindTable(coverage: AggregatorStatus["coverage"]): Markup {
  const blind = coverage.filter(({ undecided }) => undecided > 0);
  if (blind.length === 0) return html``;
  return table(
    ["Rules that cannot judge all that is read", "Judged", "Not known"],
    blind.map(({ rule, kind, read, undecided, waiting, lacks }) => [
      html`${rule}<br /><small>${kind}</small>`,
      `${read - undecided - waiting} of ${read}`,
      lacks.map(({ facts, entities }) => `${facts} of ${entities}`).join("; "),
    ]),
  );
}

type Ranks = ReadonlyMap<string, number>;

const FIRING = 3;
const PENDING = 2;
const UNKNOWN = 1;

/** How bad the worst alert of each entity is. */
function alertRanks(status: Status, aggregator: string): Ranks {
  const ranks = new Map<string, number>();
  for (const { entity, state } of status.alerts) {
    if (entity.aggregator !== aggregator || state === "resolved") continue;
    const key = `${entity.kind}/${entity.id}`;
    const rank = state === "firing" ? FIRING : PENDING;
    ranks.set(key, Math.max(rank, ranks.get(key) ?? 0));
  }
  return ranks;
}

function kindTable(
  status: Status,
  kind: string,
  entities: readonly EntityStatus[],
  ranks: Ranks,
): Markup {
  const ranked = entities.map((entity) => {
    const known = entity.unknownSince === undefined ? 0 : UNKNOWN;
    return { entity, rank: ranks.get(`${entity.kind}/${entity.id}`) ?? known };
  });
  const worst = ranked
    .filter(({ rank }) => rank > 0)
    .toSorted((one, other) => other.rank - one.rank);
  const shown = [...worst, ...ranked.filter(({ rank }) => rank === 0)].slice(0, MOST_ROWS);
  return html`${table(
    [headOf(kind, ranked), "Status", "Since", "Facts"],
    shown.map(({ entity }) => [
      nameOf(entity, entity.facts),
      statusCell(entity),
      ago(status.at, entity.since),
      html`<small>${factsText(status, kind, otherFacts(entity))}</small>`,
    ]),
  )}
  ${leftOut(entities.length, shown.length)}`;
}

/** The kind, its number of entities, and how many have alerts or are unknown. */
function headOf(
  kind: string,
  ranked: ReadonlyArray<{ readonly entity: EntityStatus; readonly rank: number }>,
): string {
  const alerting = ranked.filter(({ rank }) => rank > UNKNOWN).length;
  const unknown = ranked.filter(({ entity }) => entity.unknownSince !== undefined).length;
  const parts = [
    String(ranked.length),
    ...(alerting > 0 ? [`${alerting} with alerts`] : []),
    ...(unknown > 0 ? [`${unknown} unknown`] : []),
  ];
  return `${kind} (${parts.join(", ")})`;
}

function statusCell({ facts, unknownSince }: EntityStatus): Markup {
  if (unknownSince !== undefined) return html`<span class="badge unknown">unknown</span>`;
  return html`<span class="status ${String(facts["status"] ?? "")}"
    >${String(facts["status"] ?? "seen")}</span
  >`;
}

/** The facts without a column of their own. */
function otherFacts({ facts }: EntityStatus): EntityStatus["facts"] {
  const { status: _status, name: _name, ...others } = facts;
  return others;
}

function pollerTable(status: Status, pollers: readonly EntityStatus[]): Markup {
  return table(
    ["Poller", "Up", "Last read", "Surfaces", "Last failure"],
    pollers.map(({ id, facts }) => [
      id,
      facts["up"] === undefined
        ? html`<span class="badge unknown">not yet</span>`
        : isReading({ facts })
          ? html`<span class="badge verified">up</span>`
          : html`<span class="badge firing">${facts["stale"] === true ? "stale" : "down"}</span>`,
      typeof facts["last_success"] === "number" ? ago(status.at, facts["last_success"]) : "never",
      surfacesOf(facts),
      String(facts["error"] ?? ""),
    ]),
  );
}

function surfacesOf(facts: EntityStatus["facts"]): string {
  if (facts["surfaces"] === undefined) return "";
  const failing = Number(facts["failing_surfaces"]);
  return failing > 0 ? `${failing} of ${facts["surfaces"]} failing` : String(facts["surfaces"]);
}
