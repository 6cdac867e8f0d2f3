import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../domain/time.ts";
import type { CreateSender } from "../io/http/http-send.ts";
import type { RawReplies } from "../io/journal/raw-replies.ts";
import type { KeepReply } from "../io/aggregator/reader.ts";
import { createClient, type Client } from "../io/aggregator/client.ts";
import { watchListOf } from "../pollers/watch-kinds.ts";
import { activePollers, type ActivePoller, type AggregatorSetup } from "./setup.ts";

/** An aggregator as it is asked now: its settings, its client, and what ends its polls. */
export type Watched = {
  readonly setup: AggregatorSetup;
  readonly line: Line;
  readonly pollers: ReadonlyMap<string, ActivePoller>;
  /** Aborted where other settings make what is being read worthless. */
  readonly reading: AbortController;
};

/** A client that can be retired: it is closed when the last action on it has its answer. */
export type Line = {
  readonly client: Client;
  /** `onClosed` is called once nothing is under way any more. */
  readonly retire: (onClosed: () => void) => void;
};

/** What a line is made of, beside its settings. */
export type LineWorld = {
  readonly clock: Clock;
  /** Of 0 to less than 1; for the jitter. */
  readonly random: () => number;
  readonly createSender: CreateSender;
  /** Keeps replies as they came, for people. */
  readonly replies?: Pick<RawReplies, "note"> | undefined;
};

export function watch(setup: AggregatorSetup, world: LineWorld): Watched {
  return { ...plan(setup), line: openLine(setup, world), reading: new AbortController() };
}

/**
 * The same aggregator under other settings. What they do not touch goes on: the connections where only
 * the schedules or the watch list changed, and the polls as well: what left the list is not told of.
 */
export function rewatch(before: Watched, setup: AggregatorSetup, world: LineWorld): Watched {
  return {
    ...plan(setup),
    line: asksAlike(before.setup, setup) ? before.line : openLine(setup, world),
    reading: readsAlike(before.setup, setup) ? before.reading : new AbortController(),
  };
}

function plan(setup: AggregatorSetup): Pick<Watched, "setup" | "pollers"> {
  const pollers = new Map(
    activePollers(setup).map((one): [string, ActivePoller] => [one.poller.name, one]),
  );
  return { setup, pollers };
}

/** The same requests leave, in the same way, to the same place. */
function asksAlike(one: AggregatorSetup, other: AggregatorSetup): boolean {
  return (
    isDeepStrictEqual(one.client, other.client) && isDeepStrictEqual(one.profile, other.profile)
  );
}

/** The same is read, and means the same. */
function readsAlike(one: AggregatorSetup, other: AggregatorSetup): boolean {
  const names = (setup: AggregatorSetup): string[] => setup.pollers.map(({ name }) => name);
  return (
    asksAlike(one, other) &&
    // Of entries that come and go, the polls of the others need not know.
    isDeepStrictEqual(watchListOf([], one.watch), watchListOf([], other.watch)) &&
    isDeepStrictEqual(one.statuses, other.statuses) &&
    isDeepStrictEqual(names(one), names(other))
  );
}

function openLine(setup: AggregatorSetup, { replies, ...world }: LineWorld): Line {
  const { name: aggregator, client: settings, profile } = setup;
  const keepReply: KeepReply | undefined =
    replies && ((reply) => replies.note({ ...reply, aggregator }));
  const client = createClient({ settings, profile, ...world, keepReply });
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
