import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { isPassing, read, type Answer } from "./fetch.ts";
import { asOf, revision, shownAt } from "./store.ts";
import { useRetries } from "./use-retries.ts";
import { useTurn } from "./use-turn.ts";

/** Where an answer of the API is, and of which type it is. */
type Path<Json> = string & { readonly answers?: Json };

type State<Json> = {
  readonly path: string;
  readonly answer: Answer<Json>;
  /** The last answer was one that a repetition may change. */
  readonly isDue: boolean;
};

/** Of the answers that are shown, those that could not be read again, and when each was given. */
export const oldAnswers = signal<ReadonlyMap<object, number | undefined>>(new Map());

/**
 * An answer of the API for as long as a view shows it; read again when something may have changed, or when `newest`
 * changes. While the past is shown, it is the answer of that time. If a later request fails, the answer stays and the
 * request is repeated.
 */
export function useAnswer<Json>(
  asked: Path<Json> | undefined,
  newest = revision.value,
  ask: (path: string, signal: AbortSignal) => Promise<Answer<Json>> = read,
): Answer<Json> | undefined {
  const path = asked === undefined ? undefined : asOf(asked, shownAt.value);
  const [state, setState] = useState<State<Json> | undefined>();
  // An answer to another question does not count.
  const own = state?.path === path ? state : undefined;
  const tries = useRetries(own?.isDue === true ? own : undefined);
  const { turn, setReading } = useTurn(shownAt.value === undefined ? newest : 0);
  useEffect(() => {
    if (path === undefined) return undefined;
    const gone = new AbortController();
    setReading(true);
    const load = async (): Promise<void> => {
      const answer = await ask(path, gone.signal);
      if (gone.signal.aborted) return;
      setReading(false);
      const isDue = isPassing(answer);
      setState((before) =>
        isDue && before?.path === path && before.answer.ok
          ? { ...before, isDue }
          : { path, answer, isDue },
      );
    };
    void load();
    return () => {
      setReading(false);
      gone.abort();
    };
  }, [path, turn, tries]);
  useEffect(() => {
    if (own?.isDue !== true || !own.answer.ok) return undefined;
    const { answer } = own;
    oldAnswers.value = new Map([...oldAnswers.value, [answer, answer.at]]);
    return () => {
      oldAnswers.value = new Map([...oldAnswers.value].filter(([one]) => one !== answer));
    };
  }, [own]);
  return own?.answer;
}
