import { expect, it } from "vitest";
import {
  beginsWithSuccess,
  saysOnlySuccess,
  tellsOfFailure,
} from "../../../src/aggregator/decoding/message-words.ts";
import { DENIED, FAILURES, SUCCESSES } from "./messages.ts";

const isBelieved = (text: string): boolean => saysOnlySuccess(text) || beginsWithSuccess(text);

it.each(SUCCESSES)("believes the success of %j", (text) => {
  expect(isBelieved(text)).toBe(true);
});

it.each(DENIED)("does not believe %j", (text) => {
  expect(isBelieved(text)).toBe(false);
});

it.each(FAILURES)("takes %j for a failure though its code is known", (text) => {
  expect(tellsOfFailure(text)).toBe(true);
});
