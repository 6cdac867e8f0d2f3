import { expect, it } from "vitest";
import {
  saysOnlySuccess,
  tellsOfFailure,
  tellsOfSuccess,
} from "../../../src/aggregator/decoding/message-words.ts";
import { DENIED, FAILURES } from "./failure-messages.ts";
import { ODD, SUCCESSES, UNKNOWN } from "./messages.ts";

const isBelieved = (text: string): boolean => saysOnlySuccess(text) || tellsOfSuccess(text);

it.each(SUCCESSES)("believes the success of %j", (text) => {
  expect(isBelieved(text)).toBe(true);
});

it.each([...DENIED, ...UNKNOWN, ...ODD])("does not believe %j", (text) => {
  expect(isBelieved(text)).toBe(false);
});

it.each([...FAILURES, ...DENIED])("takes %j for a failure though its code is known", (text) => {
  expect(tellsOfFailure(text, false)).toBe(true);
  expect(tellsOfFailure(text, true)).toBe(true);
});

it.each([...SUCCESSES, ...ODD])("takes %j for no failure if its code is known", (text) => {
  expect(tellsOfFailure(text, false)).toBe(false);
  expect(tellsOfFailure(text, true)).toBe(false);
});
