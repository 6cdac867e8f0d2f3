import { readWatchReply } from "../../config/settings/watch-list.ts";
import { fail, type Result } from "../../domain/result.ts";
import type { Clock } from "../../domain/time.ts";
import type { WatchSourceState } from "../../domain/watch.ts";
import { pollHttpList, type HttpList } from "../../io/watch-list/http-list.ts";
import type { Redactor } from "../../io/redact/redactor.ts";
import { watchKinds } from "../../pollers/watch-kinds.ts";
import type { WatchPart } from "../setup.ts";
import { takeContent, type FetchedList, type WatchListSource } from "./source.ts";

const NO_GROUP = /^\s*\[\s*\]\s*$/;

/** Servers often give an empty list on error, and then all that is watched would silently be watched no more. */
const EMPTIED = fail([
  'the list is empty, which may be an error; if it is right, give a group without targets: [{"targets":[],"labels":{"kind":"sender"}}]',
]);

/** A list over HTTP, which begins with what it gave before. */
export function httpSource(
  settings: HttpList,
  kept: readonly WatchSourceState[],
  clock: Clock,
  redactor: Redactor,
  part?: WatchPart,
): WatchListSource {
  const { name } = settings;
  const before = kept.find((one) => one.source === "http" && one.name === name);
  const list: FetchedList = { source: "http", name, entries: before?.entries };
  return {
    lists: () => [list],
    start: (onChange) => {
      const stopping = new AbortController();
      const onBody = (body: Result<string, string>): void => {
        const hadEntries = list.entries !== undefined && list.entries.length > 0;
        const read = (text: string) =>
          hadEntries && NO_GROUP.test(text) ? EMPTIED : readWatchReply(watchKinds, text);
        takeContent(list, body, clock.now(), read, part);
        onChange();
      };
      void pollHttpList(settings, stopping.signal, onBody, redactor);
      return () => stopping.abort();
    },
  };
}
