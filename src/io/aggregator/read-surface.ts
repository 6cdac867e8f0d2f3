import type { Reply } from "../../aggregator/endpoints/index.ts";
import { describeMalformed } from "../../aggregator/decoding/malformed-entries.ts";
import type { Failure } from "../../domain/http.ts";
import type { Doubt, Part, SurfaceReading } from "../../domain/observation.ts";
import type { Result } from "../../domain/result.ts";
import { succeed } from "../../domain/result.ts";
import type { Instant } from "../../domain/time.ts";
import {
  areInTurn,
  missing,
  type EndpointRequest,
  type Poller,
  type ReadContext,
  type Surface,
} from "../../pollers/poller.ts";
import type { Client } from "./client.ts";
import type { ReadOptions } from "./send-read.ts";

/** Who reads a surface, and for what. */
export type SurfaceRequest = {
  readonly poller: Poller;
  readonly client: Pick<Client, "read" | "readings"> & Partial<Pick<Client, "ignores">>;
  readonly origin: "poll" | "probe";
};

/** Limits that the surfaces of a poll share. */
export type Limits = {
  readonly signal: AbortSignal;
  readonly deadlineAt: () => Instant;
  readonly startedAt: Instant;
  /** One object for all, because each reading is kept with it. */
  readonly context: ReadContext;
};

/** Reads one surface. Never throws. */
export async function readSurface(
  surface: Surface,
  request: SurfaceRequest,
  limits: Limits,
): Promise<Part> {
  const sentAt = new Map<number, Instant>();
  // A reading may be as old as the earliest of its requests.
  const askedAt = () => (sentAt.size === 0 ? limits.startedAt : Math.min(...sentAt.values()));
  const { poller, client } = request;
  const { context } = limits;
  const source = { poller, surface: surface.name, context };
  const isRead = (value: unknown): boolean => client.readings.knows(value, source);
  try {
    const answers = await answersTo(surface, async (one, index) => {
      const onSent = (at: Instant): void => void sentAt.set(index, at);
      return await answer(one, request, { ...limits, isRead, onSent });
    });
    const failed = answers.find((result) => !result.ok);
    if (failed !== undefined && !failed.ok) {
      const unknownId = isNotFound(failed.problem) ? poller.missing?.(surface, context) : undefined;
      if (unknownId === undefined)
        return failedPart(surface.name, limits.startedAt, failed.problem);
      return { surface: surface.name, askedAt: askedAt(), reading: missing(unknownId) };
    }
    const replies = answers.flatMap((result) => (result.ok ? [result.value] : []));
    const make = () => doubted(poller.read(surface, replies, context), replies, request);
    const reading = client.readings.of(replies, source, make);
    return { surface: surface.name, askedAt: askedAt(), reading };
  } catch (error) {
    return failedPart(surface.name, limits.startedAt, bug(error));
  }
}

/**
 * Lists of one endpoint are requested one after the other, up to the first that fails: what moves from one list to the
 * next meanwhile is then in both, or else it might be in neither.
 */
async function answersTo(
  surface: Surface,
  ask: (one: EndpointRequest, index: number) => Promise<Result<Reply, Failure>>,
): Promise<ReadonlyArray<Result<Reply, Failure>>> {
  const { requests } = surface;
  if (!areInTurn(surface)) return await Promise.all(requests.map(ask));
  const answers: Array<Result<Reply, Failure>> = [];
  for (const [index, one] of requests.entries()) {
    const said = await ask(one, index);
    answers.push(said);
    if (!said.ok) break;
  }
  return answers;
}

/**
 * Entries that were left out are not known to be absent, and a doubt about one reply holds for the whole reading: the
 * listing counts as cut.
 */
function doubted(
  reading: SurfaceReading,
  replies: readonly Reply[],
  { client }: SurfaceRequest,
): SurfaceReading {
  if (!reading.ok) return reading;
  const { contradictions, ...rest } = reading;
  const means = !replies.some(({ endpoint }) => client.ignores?.(endpoint, "contradiction"));
  const read = contradictions !== undefined && means ? reading : rest;
  const doubt = doubtOf(replies);
  return doubt === undefined ? read : { ...read, complete: false, doubt };
}

function doubtOf(replies: readonly Reply[]): Doubt | undefined {
  const said = replies.find((reply) => reply.doubt !== undefined);
  if (said?.doubt !== undefined)
    return { ...said.doubt, detail: `${said.endpoint}: ${said.doubt.detail}` };
  const malformed = replies.flatMap((reply) =>
    reply.malformed === undefined ? [] : [describeMalformed(reply.malformed)],
  );
  if (malformed.length === 0) return undefined;
  return { reason: "malformed_names", detail: malformed.join("; ").slice(0, 400) };
}

async function answer(
  { endpoint, args }: EndpointRequest,
  { client, origin }: SurfaceRequest,
  { signal, deadlineAt, isRead, onSent }: Limits & Required<Pick<ReadOptions, "isRead" | "onSent">>,
): Promise<Result<Reply, Failure>> {
  const options = { signal, deadlineAt: deadlineAt(), origin, isRead, onSent };
  const reply = await client.read(endpoint, args, options);
  if (!reply.ok) return reply;
  const { value, malformed, doubt } = reply;
  const rest = { ...(malformed && { malformed }), ...(doubt && { doubt }) };
  return succeed({ endpoint, value, ...rest } as Reply);
}

function isNotFound({ reason, status }: Failure): boolean {
  return reason === "status" && status === 404;
}

export function failedPart(surface: string, askedAt: Instant, failure: Failure): Part {
  return { surface, askedAt, reading: { ok: false, failure } };
}

export function bug(error: unknown): Failure {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : "unknown";
  return { reason: "internal", message: `a bug while polling: ${message}`.slice(0, 400) };
}
