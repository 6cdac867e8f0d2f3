/**
 * Loaded into a replica by NODE_OPTIONS: after SIGUSR2 no commit of it, or of the unit in HUNG_UNIT, is ever answered, as
 * by a bug or a driver that forgets one, while the lease is renewed as before. A database or a network cannot do this:
 * there, time-outs end it.
 */
import { createRequire } from "node:module";
import { isMainThread } from "node:worker_threads";

const { Client } = createRequire(import.meta.url)("pg");

const COMMIT = "UPDATE lease SET last_sequence";

if (isMainThread) {
  const client = Client.prototype;
  const unit = process.env.HUNG_UNIT;
  let isHung = false;
  client.query = new Proxy(client.query, {
    apply: (query, self, given) =>
      isHung && String(given[0]).includes(COMMIT) && (unit === undefined || given[1].includes(unit))
        ? new Promise(() => {})
        : Reflect.apply(query, self, given),
  });
  process.on("SIGUSR2", () => {
    isHung = true;
  });
}
