import { expect, it } from "vitest";
import { adviceFor } from "../../../src/io/probe/advice.ts";

it.each([
  ["cannot connect (ECONNREFUSED)", "base_url: nothing answers there"],
  ["cannot connect (ENOTFOUND)", "base_url: no name server knows its host"],
  [
    "cannot connect (EAI_AGAIN)",
    "base_url: no name server gave the address of its host; is there one, and does it answer?",
  ],
])("what to change after: %s", (message, advice) => {
  expect(adviceFor("exchanges", { reason: "connect", message }, false)).toBe(advice);
});
