import { formatInstant } from "../../../domain/time.ts";
import { createTimeSlice } from "../../process/time-slice.ts";
import type { View } from "../lists/view.ts";
import { gatherNothing } from "./gathered.ts";
import { createKeptMessages } from "./kept-messages.ts";
import { messageOf, resetOf, type Message } from "./message.ts";
import { createMessageMaker, TOPICS, type Topic } from "./messages.ts";

export type Run = ReturnType<typeof createRun>;

type RunOptions = {
  readonly view: () => View;
  readonly idle: () => Promise<void>;
  readonly send: (message: Message) => void;
};

/** In characters: reading a list again costs less than a larger message. */
const LARGEST_MESSAGE = 200_000;
/** Every so many intervals, viewers get a sign that the daemon is alive. */
const INTERVALS_A_BEAT = 5;

/** The feed from the first viewer to some time after the last one left. */
export function createRun({ view, idle, send }: RunOptions) {
  const maker = createMessageMaker(view, createTimeSlice(idle));
  const kept = createKeptMessages();
  let gathered = gatherNothing();
  let isBusy = true;
  let sinceBeat = 0;

  async function learn(): Promise<void> {
    await maker.begin();
    isBusy = false;
  }

  async function makeMessages(): Promise<void> {
    await idle();
    const taken = gathered;
    gathered = gatherNothing();
    const made = await maker.make(taken);
    for (const topic of TOPICS) {
      const data = made[topic];
      if (data !== undefined) send(messageOn(topic, JSON.stringify(data)));
    }
    if (taken.hasUnknownFindings) send(kept.add("findings", "reset", resetOf(["findings"])));
    sinceBeat += 1;
    if (sinceBeat >= INTERVALS_A_BEAT) {
      sinceBeat = 0;
      const data = JSON.stringify({ at: formatInstant(view().at) });
      send(messageOf(undefined, "beat", data, kept.lastId()));
    }
  }

  function messageOn(topic: Topic, data: string): Message {
    return data.length > LARGEST_MESSAGE
      ? kept.add(topic, "reset", resetOf([topic]))
      : kept.add(topic, topic, data);
  }

  return {
    /** The changes since the last sending. */
    gathered: () => gathered,
    kept,
    /** Resolves once the feed knows the state that viewers read from now on. */
    ready: learn(),
    /** Sends the gathered changes; skipped if the last call has not ended, because there may be many. */
    sendChanges: async () => {
      if (isBusy) return;
      isBusy = true;
      try {
        await makeMessages();
      } finally {
        isBusy = false;
      }
    },
    /** The message that makes a viewer read everything again. */
    reset: () => messageOf(undefined, "reset", resetOf(), kept.lastId()),
  };
}
