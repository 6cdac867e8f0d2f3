import type { Event, StepResult } from "../domain/step.ts";

/** An event that somebody waits for: what its step found, and whether that is on disk. */
export type Asked = { readonly result: StepResult; readonly durable: boolean };

export type Questions = {
  /** Undefined where the step failed. Not while an event is handled: it would wait behind that one. */
  readonly ask: (event: Event) => Asked | undefined;
  /** Told of every event that was handled. */
  readonly answer: (event: Event, asked: Asked) => void;
};

export function createQuestions(push: (event: Event) => void, isTurning: () => boolean): Questions {
  let question: { readonly event: Event; answer?: Asked } | undefined;
  return {
    ask: (event) => {
      if (isTurning()) throw new Error("nothing can be asked while an event is handled");
      question = { event };
      push(event);
      const { answer } = question;
      question = undefined;
      return answer;
    },
    answer: (event, asked) => {
      if (question?.event === event) question.answer = asked;
    },
  };
}
