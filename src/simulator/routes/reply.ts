import { formatInstant, type Instant, type Millis } from "../../domain/time.ts";
import { refuse, type Answer } from "./answer.ts";
import type { Border } from "../deployment/border.ts";
import { FOREVER, strike, type Fault } from "./faults.ts";
import { withMark } from "./marks.ts";
import type { Match, Route } from "./routes.ts";
import type { SimulatorRequest } from "./request.ts";
import type { World } from "../model/world.ts";

/** A reply, for the transport. */
export type SimulatorReply =
  | Answered
  /** No answer; the connection is cut after this time, which may be 0 or infinite. */
  | { readonly outcome: "silent"; readonly closeAfterMs: Millis };

type Answered = {
  readonly outcome: "answered";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly delayMs: Millis;
};

/** A reply, with details for the request log. */
type Served = {
  readonly reply: SimulatorReply;
  readonly applied: boolean;
  readonly faults: readonly string[];
};

type ReplyInputs = {
  readonly world: World;
  readonly faults: Fault[];
  readonly match: Match;
  readonly request: SimulatorRequest;
  /** Translates from and to the deployment's form. */
  readonly border: Pick<Border, "requestFor" | "replyOf">;
  /** Refuses a request without the key that the route needs. */
  readonly authorize: (route: Route, request: SimulatorRequest) => Answer | undefined;
};

const JSON_TYPE = { "content-type": "application/json" } as const;
const HTML_PAGE =
  "<!doctype html>\n<html><head><title>Bad gateway</title></head>" +
  "<body><h1>The upstream cannot be reached</h1></body></html>\n";

/** Answers one request: first faults before the aggregator, then the aggregator, then faults after it. */
export function serve(inputs: ReplyInputs): Served {
  const struck: string[] = [];
  const name = inputs.match.found === "route" ? inputs.match.route.name : null;
  const hit: Hit = (kind) => {
    const fault = strike(inputs.faults, name, kind);
    if (fault !== undefined) struck.push(kind);
    return fault;
  };
  const done = (reply: SimulatorReply, applied = false): Served => ({
    reply,
    applied,
    faults: struck,
  });
  if (hit("down") !== undefined) return done({ outcome: "silent", closeAfterMs: 0 });
  const hang = hit("hang");
  if (hang !== undefined)
    return done({ outcome: "silent", closeAfterMs: hang.plan.close_after ?? FOREVER });
  const delayMs = hit("latency")?.plan.length ?? 0;
  const early = answerBefore(hit, inputs.world.now, delayMs);
  if (early !== undefined) return done(early);

  const answer = answerTruly(inputs, hit);
  const lying = answer.effect !== undefined && hit("lie") !== undefined;
  const applied = answer.effect !== undefined && !lying;
  if (applied) answer.effect?.();
  const late = hit("timeout_after_applying");
  if (late !== undefined)
    return done({ outcome: "silent", closeAfterMs: late.plan.close_after ?? FOREVER }, applied);
  return done(write(answer, inputs, hit, delayMs), applied);
}

type Hit = <Kind extends Fault["plan"]["kind"]>(kind: Kind) => ReturnType<typeof strike<Kind>>;

/** The reply of something in front of the aggregator, if that answers in its place. */
function answerBefore(hit: Hit, at: Instant, delayMs: Millis): SimulatorReply | undefined {
  const html = hit("html");
  if (html !== undefined) {
    const headers = { "content-type": "text/html; charset=utf-8" };
    return { outcome: "answered", status: html.plan.status, headers, body: HTML_PAGE, delayMs };
  }
  const fault = hit("status");
  if (fault === undefined) return undefined;
  const { status, retry_after: wait } = fault.plan;
  const headers = wait === undefined ? {} : { "retry-after": String(Math.ceil(wait / 1_000)) };
  const refused = refuse(status, "fault", `A fault was set that answers ${status}.`);
  return writeAnswer({ ...refused, headers }, at, delayMs);
}

/** The aggregator's own answer. */
function answerTruly(inputs: ReplyInputs, hit: Hit): Answer {
  const { match, request } = inputs;
  switch (match.found) {
    case "malformed":
      return refuse(400, "malformed", "The path's percent-encoding is broken.");
    case "nothing":
      return refuse(404, "no_such_path", "There is no such path.");
    case "path": {
      const allow = match.allowed.join(", ");
      const reason = `This path takes only ${allow}.`;
      return { ...refuse(405, "no_such_method", reason), headers: { allow } };
    }
    case "route": {
      const { route, args } = match;
      const refused = inputs.authorize(route, request);
      if (refused !== undefined) return refused;
      const frozen = route.writes === undefined ? hit("stale")?.frozen : undefined;
      const usual = inputs.border.requestFor(route, request);
      return route.handle({ world: frozen ?? inputs.world, request: usual, args });
    }
  }
}

function write(answer: Answer, inputs: ReplyInputs, hit: Hit, delayMs: Millis): SimulatorReply {
  const route = inputs.match.found === "route" ? inputs.match.route : undefined;
  const empty = route?.empty !== undefined && hit("empty") !== undefined ? route.empty : undefined;
  const contradiction = route?.name === "exchanges" ? hit("contradiction") : undefined;
  const listed = contradiction && { status: 200, body: [...inputs.world.exchanges.keys()] };
  const usual = empty === undefined ? (listed ?? answer) : { status: 200, body: empty };
  const shown =
    route === undefined || usual.status >= 400
      ? usual
      : { ...usual, body: inputs.border.replyOf(route, inputs.request, usual.body) };
  const whole = writeAnswer(shown, inputs.world.now, delayMs);
  if (hit("truncated") !== undefined)
    return { ...whole, body: whole.body.slice(0, Math.floor(whole.body.length / 2)) };
  const isRead = route !== undefined && route.writes === undefined && shown.status === 200;
  const partial = isRead ? hit("partial") : undefined;
  return partial === undefined ? whole : withMark(partial.plan.mark, whole);
}

/** An answer on the wire. An error gets its `timestamp` here: the interface says a string; its format is our choice. */
export function writeAnswer(answer: Answer, at: Instant, delayMs: Millis = 0): Answered {
  const body =
    answer.status >= 400
      ? { ...(answer.body as object), timestamp: formatInstant(at) }
      : answer.body;
  const headers = { ...JSON_TYPE, ...answer.headers };
  return {
    outcome: "answered",
    status: answer.status,
    headers,
    body: JSON.stringify(body),
    delayMs,
  };
}
