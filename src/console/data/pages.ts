import { useEffect, useState } from "preact/hooks";
import { read } from "./fetch.ts";
import { revision } from "./store.ts";
import type { Path } from "./use-answer.ts";

/** A long list, of which the server gives a page at a time. */
export type Pages<Page> = {
  /** In their order; the last one may end before the list does. */
  readonly pages: readonly Page[];
  readonly problem: string | undefined;
  /** Reads one more page, if there is one and none is on its way. */
  readonly more: () => void;
};

type Paged = { readonly next: string | null };

type Loaded<Page> = {
  readonly path: string;
  readonly pages: readonly Page[];
  readonly problem?: string;
};

/**
 * The pages of a list that were asked for so far. When something may have changed, the pages are read anew one after
 * the other, and shown as a whole, so that nothing jumps while a person reads.
 */
export function usePages<Page extends Paged>(path: Path<Page>): Pages<Page> {
  const [loaded, setLoaded] = useState<Loaded<Page>>({ path, pages: [] });
  const [wanted, setWanted] = useState(1);
  const current = revision.value;
  const isOther = loaded.path !== path;
  useEffect(() => {
    const gone = new AbortController();
    const load = async (): Promise<void> => {
      const answer = await readPages<Page>(path, isOther ? 1 : wanted, gone.signal);
      if (gone.signal.aborted) return;
      if (isOther) setWanted(1);
      setLoaded({ path, ...answer });
    };
    void load();
    return () => gone.abort();
  }, [path, current, wanted]);
  const { pages, problem } = isOther ? { pages: [], problem: undefined } : loaded;
  const last = pages.at(-1);
  const more = (): void => {
    if (last !== undefined && last.next !== null && pages.length === wanted) setWanted(wanted + 1);
  };
  return { pages, problem, more };
}

async function readPages<Page extends Paged>(
  path: Path<Page>,
  count: number,
  signal: AbortSignal,
): Promise<{ pages: readonly Page[]; problem?: string }> {
  const pages: Page[] = [];
  while (pages.length < count) {
    const cursor = pages.at(-1)?.next;
    if (cursor === null) break;
    const end = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await read<Page>(`${path}${end}`, signal);
    if (!answer.ok) return { pages, problem: answer.problem };
    pages.push(answer.value);
  }
  return { pages };
}
