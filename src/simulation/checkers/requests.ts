import { entityKey } from "../../domain/entity.ts";
import { formatDuration, formatInstant, SECOND } from "../../domain/time.ts";
import { sentTarget, targetOf } from "../ledger/requests.ts";
import { DELETED } from "../ledger/rows.ts";
import { SLOWEST_CLOCK } from "../replicas/clock-rates.ts";
import { on } from "./checker.ts";

/** The requests that may be sent, written a second time: the toggles' POST, the forced cancellation, and reads. */
const MAY_ACT = [
  { method: "POST", path: /^\/api\/v1\/exchange\/toggle\/[^/]+(?:\/[^/]+)?$/ },
  { method: "DELETE", path: /^\/api\/v1\/order\/force\/[^/]+$/ },
] as const;

/** Some reads are a POST, with their question in the body. */
const MAY_READ = [
  { method: "GET", path: /^\/api\/v1\/exchange\/(?:list|disabled)$/ },
  { method: "GET", path: /^\/api\/v1\/order(?:\/futures|\/status|\/liquidation)?$/ },
  { method: "POST", path: /^\/api\/v1\/order\/(?:history|futures\/(?:status|history))$/ },
  {
    method: "GET",
    path: /^\/api\/v1\/pairs\/(?:list(?:\/detailed)?|exchangeInfo(?:\/[^/]+){0,2})$/,
  },
  { method: "GET", path: /^\/api\/v1\/pools\/reservations(?:\/[^/]+\/[^/]+)?$/ },
  { method: "POST", path: /^\/api\/v1\/pools\/estimation(?:\/[^/]+\/[^/]+)?$/ },
  { method: "GET", path: /^\/atomic-swap\/api\/v1\/history\/all$/ },
  { method: "GET", path: /^\/api\/v1\/atomic-swap\/history\/current$/ },
  { method: "POST", path: /^\/api\/v1\/atomic-swap\/balances$/ },
] as const;

/** Only allow-listed method and path pairs are sent, the acting credential only with actions, all by the proxy. */
export const allowList = on(
  "sent",
  "6 allow-list",
  ({ method, path, purpose, credential, isDirect }) => {
    const list = purpose === "read" ? MAY_READ : MAY_ACT;
    const isListed = list.some((one) => one.method === method && one.path.test(path));
    const isRightKey = purpose === "act" || credential !== "act";
    return [
      ...(isListed ? [] : [`${method} ${path} left to ${purpose}, and is not allow-listed`]),
      ...(isRightKey
        ? []
        : [`${method} ${path} left to read, with the credential for acting on it`]),
      ...(isDirect === true ? [`${method} ${path} left around the proxy`] : []),
    ];
  },
);

/** How long an action may wait for its turn before it must not be sent any more: 5 s by the slowest steady clock. */
const LONGEST_WAIT = Math.ceil((5 * SECOND) / SLOWEST_CLOCK);

/**
 * Every action that is sent was requested by a step that is on disk. It is sent soon, only once across all crashes,
 * touches the entity that it was requested for, and leaves when no earlier request for it waits for its answer.
 */
export const sentOnce = on(["step", "sent"], "4 sent once", (event, { requests, rows }) => {
  if (event.type === "step")
    return event.result.effects.flatMap((effect) => {
      if (effect.type !== "act") return [];
      const made = event.state.tables.remediation.get(effect.remediation);
      if (made === undefined) return [`${effect.remediation} is asked for, and in no table`];
      const name = `${made.id} of ${targetOf(entityKey(made.entity), made.action)}`;
      const isOver = event.durable && made.state !== "requested";
      return [
        ...(requests.askedIds.has(made.id) ? [`${name} is asked for again`] : []),
        ...(isOver ? [`${name} is asked for, and is ${made.state} already`] : []),
      ];
    });
  if (event.purpose !== "act") return [];
  const name = `${event.method} ${event.path} to ${event.aggregator} left at ${formatInstant(event.at)}`;
  const target = sentTarget(event);
  const open = requests.openFor(target);
  const waitedMs = event.at - (open?.at ?? event.at);
  const isOnDisk = (rows.texts.get(`remediation ${open?.id}`) ?? DELETED) !== DELETED;
  if (open !== undefined && !isOnDisk && open.isLost !== true)
    return [`${name}, and ${open.id} of it is not on disk`];
  const other = requests.underWay(target);
  if (open !== undefined && other?.leftAt !== undefined)
    return [
      `${name} for ${open.id}, and ${other.id}, which left at ${formatInstant(other.leftAt)}, is not answered`,
    ];
  if (open !== undefined && waitedMs <= LONGEST_WAIT) return [];
  if (open !== undefined)
    return [`${name}, ${formatDuration(waitedMs)} after ${open.id} was decided`];
  const last = requests.askedFor(target).at(-1);
  if (last === undefined) return [`${name}, and no step on disk asked for it`];
  return last.leftAt === undefined
    ? [`${name}, and the process that had decided ${last.id} of it is gone`]
    : [`${name} again: ${last.id} of it left at ${formatInstant(last.leftAt)}`];
});

/** A process that could not run for longer than this must read again before it acts. */
const LONGEST_STANDSTILL = 3 * SECOND;

/** No action is sent on a reading that was wanted before the process stood still, whatever its clocks say. */
export const readAgain = on("sent", "1 read again", (event, { requests, stoodStill }) => {
  if (event.purpose !== "act") return [];
  const open = requests.openFor(sentTarget(event));
  const still = stoodStill.findLast(({ from, to }) => to - from > LONGEST_STANDSTILL);
  if (open === undefined || still === undefined || still.to <= open.confirmingSince) return [];
  return [
    `${open.id} left at ${formatInstant(event.at)} on a reading wanted at ${formatInstant(open.confirmingSince)}; the process stood still for ${formatDuration(still.to - still.from)} until ${formatInstant(still.to)}`,
  ];
});

/** A rejected action was not applied: a refusal is certain, and any other outcome is in doubt. */
export const rejected = on("step", "3 rejected", ({ result, at: now }, { requests }) =>
  result.findings.flatMap((finding) => {
    if (finding.type !== "remediation" || finding.remediation.state !== "rejected") return [];
    const { id, action, entity } = finding.remediation;
    const at = requests.lastApplied(targetOf(entityKey(entity), action));
    if (at === undefined) return [];
    return [
      `${id} (${action} of ${entityKey(entity)}) became rejected at ${formatInstant(now)}, and was carried out at ${formatInstant(at)}`,
    ];
  }),
);
