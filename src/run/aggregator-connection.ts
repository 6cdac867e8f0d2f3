import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../domain/time.ts";
import type { CreateSender } from "../io/http/http-send.ts";
import type { Redactor } from "../io/redact/redactor.ts";
import type { RawReplies } from "../io/journal/raw-replies.ts";
import type { KeepReply } from "../io/aggregator/send-read.ts";
import { createClient, type Client } from "../io/aggregator/client.ts";
import { createLimiter, type Limiter } from "../io/aggregator/limiter.ts";
import { watchListOf } from "../pollers/watch-kinds.ts";
import { activePollers, type ActivePoller, type AggregatorSetup } from "./setup.ts";

/** An aggregator under the settings in force: its connection, its pollers, and what ends its polls. */
export type PolledAggregator = {
  readonly setup: AggregatorSetup;
  readonly connection: Connection;
  readonly pollers: ReadonlyMap<string, ActivePoller>;
  /** Aborted if other settings make what is being read worthless. */
  readonly polls: AbortController;
};

/** A client that can be retired: it is closed when the last action on it has its answer. */
export type Connection = {
  readonly client: Client;
  /** `onClosed` is called once nothing is under way any more. */
  readonly retire: (onClosed: () => void) => void;
};

/** What a connection needs beside its settings. */
export type ConnectionWorld = {
  readonly clock: Clock;
  /** From 0 to less than 1; for the jitter. */
  readonly random: () => number;
  readonly createSender: CreateSender;
  readonly redactor: Redactor;
  /** Its lease has run out, so that another may poll in its place. */
  readonly isCutOff?: (() => boolean) | undefined;
  /** Keeps replies as they were received, for people. */
  readonly replies?: Pick<RawReplies, "note"> | undefined;
};

export function connect(setup: AggregatorSetup, world: ConnectionWorld): PolledAggregator {
  return { ...plan(setup), connection: openConnection(setup, world), polls: new AbortController() };
}

/**
 * The same aggregator under other settings. If only the schedules or the watch list changed, the connection and
 * the polls that run go on; what left the list is not reported.
 */
export function reconnect(
  before: PolledAggregator,
  setup: AggregatorSetup,
  world: ConnectionWorld,
): PolledAggregator {
  return {
    ...plan(setup),
    connection: requestsAlike(before.setup, setup)
      ? before.connection
      : openConnection(setup, world, limiterAfter(before, setup, world)),
    polls: readsAlike(before.setup, setup) ? before.polls : new AbortController(),
  };
}

function plan(setup: AggregatorSetup): Pick<PolledAggregator, "setup" | "pollers"> {
  return { setup, pollers: new Map(activePollers(setup).map((own) => [own.poller.name, own])) };
}

/** Both send the same requests, in the same way, to the same place. */
function requestsAlike(one: AggregatorSetup, other: AggregatorSetup): boolean {
  return (
    isDeepStrictEqual(one.client, other.client) && isDeepStrictEqual(one.profile, other.profile)
  );
}

/** Both read the same, and it means the same. */
function readsAlike(one: AggregatorSetup, other: AggregatorSetup): boolean {
  const names = (setup: AggregatorSetup): string[] => setup.pollers.map(({ name }) => name);
  return (
    requestsAlike(one, other) &&
    // Entries that come and go do not affect the polls of the others.
    isDeepStrictEqual(watchListOf([], one.watch), watchListOf([], other.watch)) &&
    isDeepStrictEqual(one.statuses, other.statuses) &&
    isDeepStrictEqual(names(one), names(other))
  );
}

/** What an aggregator asked for, and what was sent to it in the last moment, counts on under other settings. */
function limiterAfter(
  { setup, connection }: PolledAggregator,
  { client: next }: AggregatorSetup,
  world: ConnectionWorld,
): Limiter | undefined {
  const { client: before } = setup;
  const { limiter } = connection.client;
  if (before.baseUrl !== next.baseUrl) return undefined;
  const { rate, longestPauseMs } = next;
  if (isDeepStrictEqual(before.rate, rate) && before.longestPauseMs === longestPauseMs)
    return limiter;
  return createLimiter(rate, { ...world, longestPauseMs, paused: limiter.paused });
}

function openConnection(
  setup: AggregatorSetup,
  { replies, ...world }: ConnectionWorld,
  limiter?: Limiter,
): Connection {
  const { name: aggregator, client: settings, profile } = setup;
  const keepReply: KeepReply | undefined =
    replies && ((reply) => replies.note({ ...reply, aggregator }));
  const client = createClient({ settings, profile, ...world, keepReply, limiter });
  let acting = 0;
  let retired: (() => void) | undefined;
  const closeWhenIdle = (): void => {
    if (retired === undefined || acting > 0) return;
    client.close();
    retired();
    retired = undefined;
  };
  return {
    client: {
      ...client,
      act: async (call, options) => {
        acting += 1;
        try {
          return await client.act(call, options);
        } finally {
          acting -= 1;
          closeWhenIdle();
        }
      },
    },
    retire: (onClosed) => {
      retired = onClosed;
      closeWhenIdle();
    },
  };
}
