import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/e2e/**/*.test.ts"],
    globalSetup: ["test/child-environment.ts", "test/made-once.ts"],
    testTimeout: 600_000,
    hookTimeout: 300_000,
  },
});
