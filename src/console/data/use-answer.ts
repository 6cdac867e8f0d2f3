import { useEffect, useState } from "preact/hooks";
import { read, type Answer } from "./fetch.ts";
import { asOf, revision, shownAt } from "./store.ts";

/** Where an answer of the API is, and of which type it is. */
export type Path<Json> = string & { readonly answers?: Json };

/**
 * An answer of the API for as long as a view shows it; read anew when something may have changed, or when `turn` is
 * another. In the past it is that of then.
 */
export function useAnswer<Json>(
  asked: Path<Json> | undefined,
  turn = revision.value,
): Answer<Json> | undefined {
  const path = asked === undefined ? undefined : asOf(asked, shownAt.value);
  const [state, setState] = useState<{ path: string; answer: Answer<Json> } | undefined>();
  // The answer to another question is none.
  const own = state?.path === path ? state?.answer : undefined;
  // A request without an answer is sent again once the daemon is back.
  const isLost = own?.ok === false && own.status === undefined;
  const current = isLost ? revision.value : shownAt.value === undefined ? turn : 0;
  useEffect(() => {
    if (path === undefined) return undefined;
    const gone = new AbortController();
    const load = async (): Promise<void> => {
      const answer = await read<Json>(path, gone.signal);
      if (!gone.signal.aborted) setState({ path, answer });
    };
    void load();
    return () => gone.abort();
  }, [path, current]);
  return own;
}
