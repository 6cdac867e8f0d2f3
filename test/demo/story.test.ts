import { expect, test } from "vitest";
import { STORY, type View } from "../../src/demo/story.ts";

const QUICK = ["exchanges", "liquidations", "pools", "swaps"];

/** What is seen while these pollers fail. */
function failing(pollers: readonly string[]): View {
  const alerts = pollers.map((id) => ({
    rule: "PollFailing",
    state: "firing",
    entity: { aggregator: "demo", kind: "poller", id },
  }));
  return { status: { alerts }, requests: [], ready: true } as unknown as View;
}

test("Every poller is seen to be down, also if one that is polled each minute is among them", () => {
  const expectation = STORY.flatMap(({ expects }) => expects).find(({ says }) =>
    says.startsWith("Every poller is down"),
  );
  expect(expectation?.met(failing(QUICK))).toBe(true);
  expect(expectation?.met(failing([...QUICK, "swap_history"]))).toBe(true);
  expect(expectation?.met(failing([...QUICK.slice(1), "swap_history"]))).toBe(false);
});
