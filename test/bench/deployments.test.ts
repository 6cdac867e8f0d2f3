import { describe, expect, it } from "vitest";
import { tryDeployments } from "../../bench/deployments.ts";
import { differing, tryDeployment, UNEXPLAINED } from "../../bench/deployments/rounds.ts";
import { busyWorld, loadConfig, readWorld } from "../../bench/deployments/world-facts.ts";
import {
  DEPLOYMENT_NAMES,
  findDeployment,
  mixtureOf,
  USUAL,
} from "../../src/simulator/deployment/deployment.ts";

const usual = await readWorld(loadConfig(UNEXPLAINED).setup, busyWorld());

describe("a deployment without a profile", () => {
  it.each(DEPLOYMENT_NAMES.filter((name) => name !== "prefix" && name !== "paged"))(
    "%s comes right by what the probe suggests, in two rounds at the most",
    async (name) => {
      const outcome = await tryDeployment(findDeployment(name) ?? USUAL, usual);
      expect(outcome).toMatchObject({ verdict: "right", left: [], wrong: [] });
    },
  );

  it("comes right in a mixture of all, once its prefix is set", async () => {
    const deployment = mixtureOf(36);
    const outcome = await tryDeployment(deployment, usual, { api_prefix: deployment.prefix });
    expect(outcome).toMatchObject({ verdict: "right", rounds: 2, wrong: [] });
  });

  it("is said to be read in part if it comes in pages", async () => {
    const outcome = await tryDeployment(findDeployment("paged") ?? USUAL, usual);
    expect(outcome.verdict).toBe("told");
    expect(outcome.left).toContain(
      "pools: not whole: reserves: $.nextCursor says that there is more",
    );
  });

  it("is never silently misread", async () => {
    const said: string[] = [];
    expect(await tryDeployments(["4"], (line) => said.push(line))).toBe(true);
    expect(said.join("\n")).toMatch(/with one difference: .* 0 of 11 silent/);
    expect(said.join("\n")).toMatch(/mixtures: .* 0 of 4 silent/);
  });

  it("would be seen to be misread", async () => {
    const deployment = mixtureOf(1);
    const read = await readWorld(loadConfig(UNEXPLAINED).setup, busyWorld(deployment));
    expect(differing(USUAL, usual, usual)).toEqual([]);
    expect(differing(deployment, usual, read).length).toBeGreaterThan(0);
  });
});
