import { useEffect, useState } from "preact/hooks";
import { isPassing, read, RETRY_MS, type Answer } from "./fetch.ts";
import { asOf, revision, shownAt } from "./store.ts";

/** Where an answer of the API is, and of which type it is. */
export type Path<Json> = string & { readonly answers?: Json };

type State<Json> = {
  readonly path: string;
  readonly answer: Answer<Json>;
  /** The last time that it was asked for, nothing came that lasts. */
  readonly isDue: boolean;
};

/**
 * An answer of the API for as long as a view shows it; read again when something may have changed, or when `turn` is
 * another. In the past it is that of then. What was answered stays while a later request fails, which is sent again.
 */
export function useAnswer<Json>(
  asked: Path<Json> | undefined,
  turn = revision.value,
): Answer<Json> | undefined {
  const path = asked === undefined ? undefined : asOf(asked, shownAt.value);
  const [state, setState] = useState<State<Json> | undefined>();
  const [tries, setTries] = useState(0);
  // The answer to another question is none.
  const own = state?.path === path ? state : undefined;
  const current = shownAt.value === undefined ? turn : 0;
  useEffect(() => {
    if (path === undefined) return undefined;
    const gone = new AbortController();
    const load = async (): Promise<void> => {
      const answer = await read<Json>(path, gone.signal);
      if (gone.signal.aborted) return;
      const isDue = isPassing(answer);
      setState((before) =>
        isDue && before?.path === path && before.answer.ok
          ? { ...before, isDue }
          : { path, answer, isDue },
      );
    };
    void load();
    return () => gone.abort();
  }, [path, current, tries]);
  useEffect(() => {
    if (own?.isDue !== true) return undefined;
    const timer = setTimeout(() => setTries(tries + 1), RETRY_MS);
    return () => clearTimeout(timer);
  }, [own]);
  return own?.answer;
}
