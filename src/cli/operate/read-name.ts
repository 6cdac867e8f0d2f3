import { suggest } from "../../config/suggest.ts";
import { readWrittenEntity, type WrittenEntity } from "../../domain/entity.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { meant } from "../../domain/shown/lookalike.ts";
import type { ValueOf } from "../../io/api/codec.ts";
import { entitiesAnswer } from "../../io/api/lists/entities.ts";
import { pause } from "../../io/process/pause.ts";
import { kinds } from "../../pollers/kinds.ts";
import type { CliContext, Refusal } from "../context.ts";
import { askDaemon, withQuery, type WatchOptions } from "./client.ts";
import { meantHint, MOST_ENTITIES } from "./did-you-mean.ts";
import { complainOf, WATCH_EVERY } from "./print-answers.ts";

/** Reads the name that a person gives to an entity, and asks the daemon which one is meant. */

export type Found = {
  readonly text: string;
  /** The aggregator that is asked for apart from the text. */
  readonly option: string | undefined;
  readonly read: WrittenEntity;
  readonly answer?: Pick<ValueOf<typeof entitiesAnswer>, "counts" | "rows"> & {
    readonly hasMore: boolean;
  };
};

/**
 * The entities that have this id, alias or name; no answer if the text is empty. A daemon that does not answer is asked
 * nothing more; if the command watches, it is asked until it does, as it alone knows what the name means.
 */
export async function search(
  printed: string,
  option: string | undefined,
  options: WatchOptions,
  context: CliContext,
): Promise<Result<Found, string | Refusal>> {
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const found = await searchOnce(printed, option, options, context);
    if (!("away" in found)) return found;
    if (options.watch !== true) return fail({ line: [], files: [found.away] });
    const text = meant(printed);
    if (context.signal.aborted) return succeed({ text, option, read: { id: text } });
    complainOf(found.away, context);
    // oxlint-disable-next-line no-await-in-loop -- the same
    await pause(WATCH_EVERY, context.signal);
  }
}

/** The same, or why the daemon does not answer. */
async function searchOnce(
  printed: string,
  option: string | undefined,
  options: WatchOptions,
  context: CliContext,
): Promise<Result<Found, string | Refusal> | { readonly away: string }> {
  let away: string | undefined;
  const ask = async (by: Readonly<Record<string, string | undefined>>) => {
    if (away !== undefined) return fail(away);
    const path = withQuery("/api/v1/entities", { limit: String(MOST_ENTITIES), ...by });
    const call = { path, ifAway: (why: string) => (away = why) };
    return await askDaemon(call, entitiesAnswer, options, context);
  };
  const text = meant(printed);
  const given = await namedBy(
    text,
    async (aggregator) => (await ask({ aggregator, limit: "1" })).ok,
  );
  if (option !== undefined && (given.aggregator ?? option) !== option)
    return fail({
      line: [`--aggregator ${option} contradicts ${text}, which is on ${given.aggregator}`],
    });
  const read = await asIdAlone(
    given,
    async (id) => await ask({ aggregator: given.aggregator ?? option, text: `/${id}` }),
  );
  /** What is before a slash may belong to a misspelt id, if it is no kind. */
  const nearId = async ({ kind: part, id: rest, ...named }: WrittenEntity) => {
    const hint = await meantHint({ ...named, id: `${part}/${rest}` }, option, options, context);
    return hint === "" ? undefined : isNotCalled(text) + hint;
  };
  const { kind, id, aggregator = option } = read;
  if (id === "") return succeed({ text, option, read });
  // An id can be asked for only by a part of the key: of one kind, it comes before those that begin with it.
  const all = [{ text: `${kind ?? ""}/${id}` }, { fact: `alias=${id}` }, { fact: `name=${id}` }];
  const [byId, ...byFact] = await Promise.all(all.map((by) => ask({ kind, aggregator, ...by })));
  const found = byFact.flatMap((one) => (one.ok ? [...one.value.rows] : []));
  // An unknown kind is refused here too, but the call itself says that better.
  if (byId?.ok !== true || !byFact.every(({ ok }) => ok)) {
    if (away !== undefined) return { away };
    const isOther = kind === undefined || isLikeKind(kind);
    const near = isOther ? undefined : await nearId(read);
    return near === undefined ? succeed({ text, option, read }) : fail(near);
  }
  const { counts, rows, total } = byId.value;
  const own = rows.filter((row) => row.id === id);
  return succeed({
    text,
    option,
    read,
    answer: { counts, rows: [...own, ...found], hasMore: total > rows.length },
  });
}

export function isLikeKind(word: string): boolean {
  return suggest(word, kinds.keys()) !== undefined;
}

export function isNotCalled(text: string): string {
  return `nothing that is watched is called "${text}"`;
}

/** An id may hold a slash, as that of a pool does; what is before it is then no kind. */
async function asIdAlone(
  read: WrittenEntity,
  ask: (id: string) => Promise<Result<ValueOf<typeof entitiesAnswer>, unknown>>,
): Promise<WrittenEntity> {
  const { kind, ...named } = read;
  if (kind === undefined || kinds.has(kind)) return read;
  const id = `${kind}/${read.id}`;
  const found = await ask(id);
  return found.ok && found.value.rows.some((row) => row.id === id) ? { ...named, id } : read;
}

/** What the words of a name are. The daemon knows its aggregators, but is asked only if the kinds leave that open. */
async function namedBy(
  text: string,
  isAggregator: (name: string) => Promise<boolean>,
): Promise<WrittenEntity> {
  const [first = "", second] = text.split("/");
  const isOpen = second !== undefined && kinds.has(first) === kinds.has(second);
  const aggregator = isOpen && (await isAggregator(first)) ? [first] : [];
  return readWrittenEntity(text, { aggregator, kind: [...kinds.keys()] });
}
