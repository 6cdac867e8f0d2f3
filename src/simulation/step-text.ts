import type { Event, StepResult } from "../domain/step.ts";

type Shown = { readonly event: Event; readonly result: StepResult; readonly text: string };

let last: Shown | undefined;

/** The event of a step and what came of it, as JSON; written once for all who look at one step after the other. */
export function stepText({ event, result }: Omit<Shown, "text">): string {
  if (last?.event === event && last.result === result) return last.text;
  const text = JSON.stringify([event, result]);
  last = { event, result, text };
  return text;
}
