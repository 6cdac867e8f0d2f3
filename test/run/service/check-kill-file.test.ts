import { expect, it } from "vitest";
import { checkKillFile } from "../../../src/run/service/check-kill-file.ts";
import { exchange, policyOf, rule } from "../../core/fixtures.ts";
import { observed, partOf } from "../../core/readings.ts";
import { loopTest, START } from "../loop-world.ts";

const names = Array.from({ length: 100 }, (_, index) => `EXCHANGE${index}`);

/** A loop with a long event under way, whose slices never go on by themselves. */
function busyLoop() {
  const never = new Promise<void>(() => undefined);
  const slice = { begin: () => undefined, isOver: () => true, next: () => never };
  const { loop } = loopTest(policyOf([rule()]), { slice });
  loop.push({ type: "started" });
  loop.state();
  const listed = names.map((name) => exchange(name, "disabled"));
  loop.push(observed("exchanges", [partOf("all", START, listed)]));
  expect(loop.isBusy()).toBe(true);
  return loop;
}

it("brings no long event to its end while the kill file is as it was", () => {
  const loop = busyLoop();
  checkKillFile("KILL", () => false, loop);
  expect(loop.isBusy()).toBe(true);
});

it("kills when the kill file appears, after the event under way and before all that waits", () => {
  const loop = busyLoop();
  loop.push(
    observed("exchanges", [
      partOf(
        "all",
        START,
        names.map((name) => exchange(`${name}B`, "disabled")),
      ),
    ]),
  );
  checkKillFile("KILL", () => true, loop);
  const killed = { by: "KILL", reason: "the file KILL exists" };
  expect(loop.stateSoFar().tables.kill.get("file")).toMatchObject(killed);
  expect(loop.stateSoFar().entitiesByKind.get("exchange")?.size).toBe(names.length);
  checkKillFile("KILL", () => true, loop);
  expect(loop.state().tables.kill.size).toBe(1);
  checkKillFile("KILL", () => false, loop);
  expect(loop.state().tables.kill.size).toBe(0);
});

it("says which file has gone when actions are allowed again", () => {
  const test = loopTest(policyOf([rule()]));
  test.loop.push({ type: "started" });
  checkKillFile("KILL", () => true, test.loop);
  checkKillFile("KILL", () => false, test.loop);
  expect(test.findings.at(-1)?.finding).toMatchObject({
    by: "KILL",
    reason: "the file KILL is gone",
  });
});

it("stops all actions as long as a file exists by which it was stopped, though the config names another", () => {
  const test = loopTest(policyOf([rule()]));
  test.loop.push({ type: "started" });
  const files = new Set(["OLD"]);
  const check = (killFile: string): unknown => {
    checkKillFile(killFile, (path) => files.has(path), test.loop);
    return test.loop.state().tables.kill.get("file");
  };
  expect(check("OLD")).toMatchObject({ by: "OLD" });
  // As after a restart.
  expect(check("NEW")).toMatchObject({ by: "OLD" });
  files.delete("OLD");
  expect(check("NEW")).toBeUndefined();
  expect(test.findings.at(-1)?.finding).toMatchObject({ reason: "the file OLD is gone" });
  files.add("NEW");
  expect(check("NEW")).toMatchObject({ by: "NEW" });
});
