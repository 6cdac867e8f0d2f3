import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { usePostgres } from "../io/postgres/fixture.ts";
import type { Replica } from "./pair.ts";
import { askAsAlice as ask } from "./people.ts";
import { SENDERS, startCluster, unitOf, until } from "./units.ts";

const server = usePostgres();

const ofUnit = (unit: number): readonly string[] =>
  SENDERS.filter((sender) => unitOf(sender) === unit);
const [IN_CONFIG = "", ADDED = "", ALONE = ""] = ofUnit(1);
const [IN_A = "", OTHER = ""] = ofUnit(2);
const [IN_B = ""] = ofUnit(3);
const [LATE = "", AGAIN = ""] = ofUnit(4);

/** A directory for watch lists, which goes when the test ends. */
function makeLists(context: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), "aggwatch-lists-"));
  context.onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return {
    pattern: join(directory, "*.json"),
    write: (name: string, aliases: Readonly<Record<string, string>>): void => {
      const groups = Object.entries(aliases).map(([target, alias]) => ({
        targets: [target],
        labels: { kind: "sender", alias },
      }));
      writeFileSync(join(directory, name), JSON.stringify(groups));
    },
  };
}

async function conflicts(replicas: Iterable<Replica>): Promise<number> {
  let sum = 0;
  for (const one of replicas)
    for (const [, count] of (await one.metrics()).matchAll(
      /^aggwatch_watch_conflicts\{.*\} (\d+)$/gm,
    ))
      sum += Number(count);
  return sum;
}

/** What `/healthz` of all replicas says of aliases that two claim. */
async function disputes(replicas: Iterable<Replica>): Promise<readonly string[]> {
  const said: string[] = [];
  for (const { url } of replicas) said.push(await (await fetch(`${url}/healthz`)).text());
  return (said.join("").match(/^.*: the alias .*$/gm) ?? []).toSorted();
}

/** The address of each sender that is shown under an alias. */
async function named(replica: Replica): Promise<Readonly<Record<string, string>>> {
  const { text } = await ask(replica, "/api/v1/entities?kind=sender");
  const { entities } = JSON.parse(text) as {
    readonly entities: ReadonlyArray<{ readonly id: string; readonly facts: { alias: string } }>;
  };
  return Object.fromEntries(
    entities.flatMap(({ id, facts: { alias } }) => (alias === id ? [] : [[id, alias]])),
  );
}

describe("an alias of a sender", () => {
  it("is of one alone, whichever units watch those that claim it", async (context) => {
    const lists = makeLists(context);
    lists.write("a.json", { [IN_A]: "twin", [OTHER]: "desk" });
    lists.write("b.json", { [IN_B]: "desk" });
    const cluster = await startCluster(
      context,
      await server().makeDatabase(),
      ["a", "b"],
      `{ senders: [{ address: "${IN_CONFIG}", alias: twin }], files: ["${lists.pattern}"] }`,
    );
    const replicas = [...cluster.replicas.values()];
    const [first, second] = replicas;
    if (first === undefined || second === undefined) throw new Error("there are two");
    // While the units are being spread, one may be at two replicas for a moment, or at none.
    await until(
      cluster,
      async () => (await conflicts(replicas)) === 2 && (await disputes(replicas)).length === 2,
    );
    expect(await disputes(replicas)).toEqual([
      expect.stringMatching(
        `^senders/2: Watch lists of sim: file .*/a.json: the alias "twin" of sender ${IN_A} is that of ${IN_CONFIG} already$`,
      ),
      expect.stringMatching(
        `^senders/3: Watch lists of sim: file .*/b.json: the alias "desk" of sender ${IN_B} is that of ${OTHER} already$`,
      ),
    ]);
    for (const one of replicas)
      await until(cluster, async () => Object.keys(await named(one)).length >= 2);
    expect(await named(first)).toEqual({ [IN_CONFIG]: "twin", [OTHER]: "desk" });

    const add = async (replica: Replica, target: string, alias?: string) =>
      await ask(replica, "/api/v1/watch", { kind: "sender", target, alias, reason: "asked" });
    expect(await add(first, ADDED, "desk")).toMatchObject({
      status: 409,
      text: expect.stringContaining(`the alias \\"desk\\" is that of ${OTHER} already`),
    });
    for (const [index, replica] of replicas.entries()) {
      const alias = `new-${index}`;
      const [holder, late] = index === 0 ? [ADDED, LATE] : [AGAIN, ALONE];
      expect(await add(replica, holder, alias)).toMatchObject({ status: 200 });
      for (const asked of replicas) {
        expect(await add(asked, late, alias)).toMatchObject({
          status: 409,
          text: expect.stringContaining(`the alias \\"${alias}\\" is that of ${holder} already`),
        });
        expect(await add(asked, alias)).toMatchObject({
          status: 409,
          text: expect.stringContaining(`${alias} is the alias of ${holder}, which is watched`),
        });
      }
    }
    // What a file says later, in another unit, is right before what operators added.
    lists.write("b.json", { [IN_B]: "new-0" });
    await until(cluster, async () => (await named(second))[IN_B] === "new-0");
    await until(cluster, async () => (await named(second))[ADDED] === undefined);
    await until(cluster, async () => (await conflicts(replicas)) === 2);
  });
});
