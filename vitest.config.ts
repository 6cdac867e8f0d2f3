import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/e2e/**"],
    globalSetup: "test/child-environment.ts",
    // Most of a short file's time went into loading the modules that all share; a test that leaks is to be mended.
    isolate: false,
    // Much of the time goes by waiting for real processes, so more run than there are cores.
    maxWorkers: 4,
    testTimeout: 60_000,
    hookTimeout: 30_000,
  },
});
