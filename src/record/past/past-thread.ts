import { parentPort } from "node:worker_threads";
import type { Entity } from "../../domain/entity.ts";
import type { EntitiesThen } from "../../io/api/past/moment.ts";
import type { PackedPage } from "../../io/journal/record-pages.ts";
import { kinds } from "../../pollers/kinds.ts";
import { replayEntities } from "./replay-entities.ts";
import { replayEntity } from "./replay-entity.ts";
import { pastPolls, type ThreadRequest, type ThreadReply } from "./thread-messages.ts";

/** The entry of the thread that makes what was watched from pages of the record: all at an instant, or one over a while. */

const post = (reply: ThreadReply): void => parentPort?.postMessage(reply, []);

/** So many entities are sent at once, so that the main thread takes each message in a millisecond or two. */
const ENTITIES_AT_ONCE = 250;

let pages: PackedPage[] = [];

parentPort?.on("message", (asked: ThreadRequest) => {
  if (asked.type === "pages") {
    pages.push(...asked.pages);
    return;
  }
  const own = pages;
  pages = [];
  if (asked.type === "entity") {
    const past = replayEntity(own, { ...asked, kinds });
    post(past === undefined ? { type: "nothing" } : { type: "entity", past });
  } else postEntities(replayEntities(own, { ...asked, kinds }));
});

function postEntities(then: EntitiesThen | undefined): void {
  if (then === undefined) return post({ type: "nothing" });
  const { entities, polls, ...rest } = then;
  let part: Entity[] = [];
  for (const entity of entities.values()) {
    part.push(entity);
    if (part.length < ENTITIES_AT_ONCE) continue;
    post({ type: "entities", entities: part });
    part = [];
  }
  post({ type: "entities", entities: part });
  for (const own of pastPolls(entities.values(), polls)) post({ type: "polls", ...own });
  post({ type: "end", ...rest });
}
