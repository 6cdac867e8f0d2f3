/**
 * Loaded into a replica by NODE_OPTIONS: after SIGUSR2 no commit of it is ever answered, as by a bug or a driver that
 * forgets one, while the lease is renewed as before. A database or a network cannot do this: there, time-outs end it.
 */
import { isMainThread } from "node:worker_threads";
import pg from "pg";

const COMMIT = "UPDATE lease SET last_sequence";

if (isMainThread) {
  const { query } = pg.Client.prototype;
  let isHung = false;
  pg.Client.prototype.query = function (text, ...rest) {
    if (isHung && String(text).includes(COMMIT)) return new Promise(() => {});
    return query.call(this, text, ...rest);
  };
  process.on("SIGUSR2", () => {
    isHung = true;
  });
}
