/**
 * Loaded into a daemon by NODE_OPTIONS: after SIGUSR2, the core throws at the next tick, in the middle of its decision. A
 * bug that could be caused from outside would be mended.
 */
import { registerHooks } from "node:module";
import { isMainThread } from "node:worker_threads";

const TICK = /function\* applyTick\(draft[^)]*\)[^{]*\{/;

if (isMainThread) {
  let isAsked = false;
  process.on("SIGUSR2", () => {
    isAsked = true;
  });
  globalThis.failIfAsked = (draft) => {
    if (!isAsked) return;
    isAsked = false;
    draft.state.tables.counter.set("at", Number.NaN);
    throw new Error("the bug of this test");
  };
  registerHooks({
    load: (url, context, next) => {
      const loaded = next(url, context);
      if (!url.endsWith("/src/core/step.ts")) return loaded;
      const source = String(loaded.source);
      if (!TICK.test(source)) throw new Error("the core has no applyTick");
      return { ...loaded, source: source.replace(TICK, "$& failIfAsked(draft);") };
    },
  });
}
