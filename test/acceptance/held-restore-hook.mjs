/**
 * Loaded into a daemon by NODE_OPTIONS: the first slice of reading the rows of the journal is followed by no second one
 * before SIGUSR2 or SIGTERM comes, as if there were endlessly many. The event loop turns meanwhile.
 */
import { createRequire, syncBuiltinESMExports } from "node:module";
import { StatementSync } from "node:sqlite";
import { isMainThread } from "node:worker_threads";

const timers = createRequire(import.meta.url)("node:timers/promises");

if (isMainThread) {
  const released = Promise.withResolvers();
  let isReading = false;
  const { iterate } = StatementSync.prototype;
  StatementSync.prototype.iterate = function (...given) {
    isReading ||= this.sourceSQL.endsWith("FROM state ORDER BY name, key");
    return Reflect.apply(iterate, this, given);
  };
  const { setImmediate } = timers;
  timers.setImmediate = async (...given) => {
    if (isReading) await released.promise;
    return await setImmediate(...given);
  };
  syncBuiltinESMExports();
  for (const signal of ["SIGUSR2", "SIGTERM"]) process.on(signal, () => released.resolve());
}
