import type { Event, StepResult } from "../domain/step.ts";

type Shown = { readonly event: Event; readonly result: StepResult; readonly text: string };

let last: Shown | undefined;

/** The event of a step and its result, as JSON; the last text is kept, as several callers need it for each step. */
export function stepText({ event, result }: Omit<Shown, "text">): string {
  if (last?.event === event && last.result === result) return last.text;
  const text = JSON.stringify([event, result]);
  last = { event, result, text };
  return text;
}
