import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/e2e/**/*.test.ts"],
    globalSetup: ["test/child-environment.ts", "test/made-once.ts"],
    testTimeout: 600_000,
    hookTimeout: 300_000,
    // A poll's own default is one second, which a busy host may need for one answer.
    expect: { poll: { timeout: 30_000 } },
  },
});
