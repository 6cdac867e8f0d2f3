/** Tests src/simulator/deployment: by what the pollers read of it. */
import { describe, expect, it } from "vitest";
import { sayable } from "../../../bench/deployments/rounds.ts";
import {
  DEPLOYMENT_NAMES,
  findDeployment,
  mixtureOf,
  type Deployment,
} from "../../../src/simulator/deployment/deployment.ts";
import { lacksOf, printProfile } from "../../../src/simulator/deployment/profile.ts";
import { pollers } from "../../../src/pollers/index.ts";
import {
  BASE_URL,
  busyWorld,
  clientOf,
  readWorld,
  loadConfig,
  type WorldFacts,
} from "../../../bench/deployments/world-facts.ts";

const setupOf = (config: string) => loadConfig(config).setup;
const usual = await readWorld(setupOf(`aggregators: [{ base_url: "${BASE_URL}" }]`), busyWorld());

const named = DEPLOYMENT_NAMES.map((name) => findDeployment(name) as Deployment);
const mixtures = Array.from({ length: 30 }, (_, index) => mixtureOf(index + 1));

async function readAs(deployment: Deployment): Promise<WorldFacts> {
  const config = printProfile(deployment, BASE_URL, {});
  return await readWorld(setupOf(config), busyWorld(deployment));
}

describe("a deployment", () => {
  it("has, in its usual form, something of every kind, all of it read whole", () => {
    const kinds = new Set([...usual.entities.keys()].map((key) => key.split(" ")[0]));
    const shown = pollers
      .flatMap((poller) => poller.kinds)
      .filter(({ derived }) => derived !== true);
    const all = shown.map(({ kind }) => kind);
    expect(kinds).toEqual(new Set(all));
    expect(usual.lacks).toEqual([]);
  });

  it.each([...named, ...mixtures].map((deployment) => ({ ...deployment })))(
    "$name gives the same facts of all entities by the profile that is printed for it",
    async (deployment) => {
      const read = await readAs(deployment);
      for (const [key, facts] of read.entities)
        expect({ key, facts: { ...facts } }).toEqual({
          key,
          facts: sayable(deployment, key, usual.entities.get(key) ?? {}),
        });
      if (lacksOf(deployment).length === 0) {
        expect(read.lacks).toEqual([]);
        expect(read.entities.size).toBe(usual.entities.size);
      } else {
        // What no profile can say is known to be a part of what there is.
        expect(read.lacks).toContain("pools all: more_elsewhere");
        expect(read.lacks.filter((lack) => !lack.endsWith(": more_elsewhere"))).toEqual([]);
      }
    },
  );

  it.each(["seconds", "iso"])("with %s is not misread by the usual profile", async (name) => {
    const config = setupOf(`aggregators: [{ base_url: "${BASE_URL}" }]`);
    const read = await readWorld(config, busyWorld(findDeployment(name)));
    const hint = `(this is one of \`instants: ${name}\`)`;
    const senders = read.lacks.filter((lack) => lack.startsWith("swaps 0x"));
    expect(senders).toHaveLength(2);
    expect(senders.filter((lack) => lack.includes(hint))).toEqual(senders);
    const kinds = new Set([...read.entities.keys()].map((key) => key.split(" ")[0]));
    expect(kinds).not.toContain("swap");
  });

  it.each(named)("$name lets a disabled exchange be enabled", async (deployment) => {
    const simulator = busyWorld(deployment);
    const client = clientOf(setupOf(printProfile(deployment, BASE_URL, {})), simulator);
    const call = { endpoint: "enableExchange", args: { exchange: "KUCOIN" } } as const;
    const reply = await client.act(call, { signal: new AbortController().signal });
    client.close();
    expect(reply.outcome).toBe("acknowledged");
    expect(simulator.requestLog().at(-1)).toMatchObject({ applied: true });
  });
});
