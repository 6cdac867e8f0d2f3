import { describe, expect, it } from "vitest";
import { createCleanup } from "../../../src/io/process/lifecycle.ts";

describe("the cleanup", () => {
  it("undoes the last first, each after the one before has ended", async () => {
    const log: string[] = [];
    const cleanup = createCleanup(() => {});
    cleanup.add("first", () => void log.push("first"));
    cleanup.add("second", async () => {
      log.push("second begins");
      await Promise.resolve();
      log.push("second ends");
    });
    await cleanup.run();
    expect(log).toEqual(["second begins", "second ends", "first"]);
  });

  it("goes on after an undoing that fails, and says which", async () => {
    const log: string[] = [];
    const cleanup = createCleanup((name, error) => log.push(`${name}: ${String(error)}`));
    cleanup.add("first", () => void log.push("first"));
    cleanup.add("rejects", () => Promise.reject(new Error("no")));
    cleanup.add("throws", () => {
      throw new Error("never");
    });
    await cleanup.run();
    expect(log).toEqual(["throws: Error: never", "rejects: Error: no", "first"]);
  });

  it("runs once; a second call waits for the first", async () => {
    const gate = Promise.withResolvers<void>();
    let count = 0;
    const cleanup = createCleanup(() => {});
    cleanup.add("slow", async () => {
      count += 1;
      await gate.promise;
    });
    const first = cleanup.run();
    let secondEnded = false;
    const second = cleanup.run().then(() => (secondEnded = true));
    await Promise.resolve();
    expect(secondEnded).toBe(false);
    gate.resolve();
    await Promise.all([first, second]);
    await cleanup.run();
    expect(count).toBe(1);
  });
});
