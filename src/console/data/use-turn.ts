import { useRef } from "preact/hooks";

type Turn = {
  /** What an effect that reads depends on. */
  readonly turn: number;
  /** To be called when a reading begins, and when it has ended or was given up. */
  readonly setReading: (isReading: boolean) => void;
};

/**
 * The newest turn of what is read again and again; while a reading is under way, the turn in which it began. A reading
 * that takes longer than a turn lasts would otherwise be given up and begun again without end.
 */
export function useTurn(newest: number): Turn {
  const isReading = useRef(false);
  const turn = useRef(newest);
  if (!isReading.current) turn.current = newest;
  return {
    turn: turn.current,
    setReading: (is) => {
      isReading.current = is;
    },
  };
}
