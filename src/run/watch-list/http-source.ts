import { readWatchReply } from "../../config/settings/watch-list.ts";
import type { Result } from "../../domain/result.ts";
import type { Clock } from "../../domain/time.ts";
import type { WatchSourceState } from "../../domain/watch.ts";
import { pollHttpList, type HttpList } from "../../io/watch-list/http-list.ts";
import type { Redactor } from "../../io/redact/redactor.ts";
import { watchKinds } from "../../pollers/watch-kinds.ts";
import type { WatchPart } from "../setup.ts";
import { takeContent, type FetchedList, type WatchListSource } from "./source.ts";

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
        const read = (text: string) => readWatchReply(watchKinds, text);
        takeContent(list, body, clock.now(), read, part);
        onChange();
      };
      void pollHttpList(settings, stopping.signal, onBody, redactor);
      return () => stopping.abort();
    },
  };
}
