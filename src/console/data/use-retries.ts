import { useEffect, useState } from "preact/hooks";
import { RETRY_MS } from "./fetch.ts";

/** Grows some time after each answer that a repetition may change: `due` is a new object for each, or undefined. */
export function useRetries(due: object | undefined): number {
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (due === undefined) return undefined;
    const timer = setTimeout(() => setTries((count) => count + 1), RETRY_MS);
    return () => clearTimeout(timer);
  }, [due]);
  return tries;
}
