import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Here are the files that take minutes: they begin first, so that none of them is left alone at the end. */
const SLOW = ["simulation", "acceptance", "bench", "rules", "properties", "mutants", "cli"];

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = SLOW.findIndex((folder) => moduleId.includes(`/test/${folder}/`));
      return found === -1 ? SLOW.length : found;
    };
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/e2e/**"],
    globalSetup: ["test/child-environment.ts", "test/made-once.ts"],
    setupFiles: ["test/restored-globals.ts"],
    sequence: { sequencer: SlowFirst },
    // Most of a short file's time went into loading the modules that all share; a test that leaks is to be mended.
    isolate: false,
    // Much of the time goes by waiting for real processes, so more run than there are cores.
    maxWorkers: 4,
    // A line a file is printed if all is well, and no line for each slow test.
    slowTestThreshold: 600_000,
    // For what hangs for ever. Waits end by themselves, and say for what; a busy host may make them long.
    testTimeout: 300_000,
    hookTimeout: 120_000,
    // A worker writes its compiled modules before it ends, which takes long on a busy host.
    teardownTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
