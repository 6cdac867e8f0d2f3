import { setImmediate } from "node:timers/promises";
import { toEnd } from "../../../../src/domain/slices.ts";
import type { Change, Finding } from "../../../../src/domain/step.ts";
import { createFeed, type Feed, type Viewer } from "../../../../src/io/api/events/feed.ts";
import { TOPICS, type Topic } from "../../../../src/io/api/events/messages.ts";
import { viewOf } from "../../../../src/io/api/lists/view.ts";
import type { World } from "../../../core/world.ts";

/** More than a small world's items. */
const MOST_SLICES = 50;

/** An event as a browser would read it. */
export type Sent = { readonly id: string; readonly event: string; readonly data: unknown };

export function parseEvent(text: string): Sent {
  const field = (name: string): string =>
    text
      .split("\n")
      .flatMap((line) => (line.startsWith(`${name}: `) ? [line.slice(name.length + 2)] : []))[0] ??
    "";
  const data = field("data");
  return {
    id: field("id"),
    event: field("event"),
    data: data === "" ? undefined : JSON.parse(data),
  };
}

/** A feed of a scripted world, which sends when the test says that a second has passed. */
export function feedOf(world: World): FeedWorld {
  const turns: Array<() => void> = [];
  const feed = createFeed({
    view: () => viewOf(world.policy, world.state),
    idle: () => Promise.resolve(),
    onError: (error) => {
      throw new Error("the feed failed", { cause: error });
    },
    every: (_length, work) => {
      turns.push(work);
      return () => void turns.splice(turns.indexOf(work), 1);
    },
  });
  return {
    feed,
    isRunning: () => turns.length > 0,
    second: async () => {
      for (const turn of turns) turn();
      // A slice may be over after each item, however few there are.
      for (let slice = 0; slice < MOST_SLICES; slice += 1) await setImmediate();
    },
    note: (changes, findings = []) => toEnd(feed.note({ changes, findings }, world.now)),
  };
}

export type FeedWorld = {
  readonly feed: Feed;
  readonly isRunning: () => boolean;
  readonly second: () => Promise<void>;
  readonly note: (changes: readonly Change[], findings?: readonly Finding[]) => void;
};

export function viewer(topics: readonly Topic[] = TOPICS): Viewer & { readonly sent: Sent[] } {
  const sent: Sent[] = [];
  return {
    topics: new Set(topics),
    sent,
    cut: () => void sent.push({ id: "", event: "cut", data: undefined }),
    send: ({ plain }) => void sent.push(parseEvent(new TextDecoder().decode(plain))),
  };
}
