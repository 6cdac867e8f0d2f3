import { expect, it } from "vitest";
import { wasPolled } from "../../../src/console/text/polled.ts";

it("a poller that has failed since its first poll has polled, though it has no last success", () => {
  const of = (facts: Readonly<Record<string, unknown>>) =>
    wasPolled({ entity: { facts } as never });
  expect(of({ name: "pools" })).toBe(false);
  expect(of({ name: "pools", up: false, consecutive_failures: 3 })).toBe(true);
  // It is known from before the start, and has not polled since then.
  expect(of({ name: "pools", last_success: "2026-01-01T00:00:00Z" })).toBe(true);
});
