import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import { ACT_KEY, READ_KEY } from "../../../src/simulation/machine/simulated-aggregator.ts";
import { AGGREGATOR, exchange } from "../../core/fixtures.ts";
import { inspected } from "./tampered-run.ts";

/** What is said of a run in which a listing has an exchange of that name. */
function namedBy(name: string): string[] {
  const { world, violations } = inspected();
  world.sees("exchanges", [exchange(name, "enabled"), exchange("Z", "enabled")]).passes("1s");
  return violations.filter((one) => one.startsWith("12 secrets"));
}

describe("A key that a server repeats is caught if it", () => {
  it.each([
    ["is as it was", READ_KEY.value],
    ["has capitals", ACT_KEY.value.toUpperCase()],
    ["is cut to eight characters", ACT_KEY.value.slice(4, 12)],
    ["is percent-encoded", READ_KEY.value.replace(/./g, (one) => `%${hexOf(one)}`)],
    ["is in base64, behind others", Buffer.from(`Key ${ACT_KEY.value}`).toString("base64url")],
    ["is in hexadecimal", hexOf(READ_KEY.value)],
  ])("%s", (_, name) => {
    expect(namedBy(name)).toEqual([
      expect.stringMatching(/which is of a key, is in a step for the event observed$/),
    ]);
  });

  it("is in the path of a request", () => {
    const { world, violations, show } = inspected();
    show({
      type: "sent",
      at: world.now,
      aggregator: AGGREGATOR,
      method: "GET",
      path: `/x/${READ_KEY.value}`,
      purpose: "read",
      credential: "read",
    });
    expect(violations).toContainEqual(
      expect.stringMatching(/^12 secrets: .*, is in the path of a request$/),
    );
  });

  it("and seven characters of it are none", () => {
    expect(namedBy(ACT_KEY.value.slice(4, 11))).toEqual([]);
  });
});

function hexOf(text: string): string {
  return Buffer.from(text).toString("hex");
}
