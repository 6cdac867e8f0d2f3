/**
 * Loaded into a daemon by NODE_OPTIONS: the check of the journal never ends. Its thread is within SQLite for good, as
 * with a journal that takes very long.
 */
import { syncBuiltinESMExports } from "node:module";
import { DatabaseSync } from "node:sqlite";
import threads, { isMainThread } from "node:worker_threads";

const ENDLESS =
  "WITH RECURSIVE count (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count) SELECT max(n) FROM count";

if (isMainThread) {
  const { Worker } = threads;
  threads.Worker = class extends Worker {
    constructor(entry, options) {
      super(entry, { ...options, execArgv: ["--import", import.meta.url] });
    }
  };
  syncBuiltinESMExports();
} else {
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (sql) {
    return prepare.call(this, sql.startsWith("PRAGMA integrity_check") ? ENDLESS : sql);
  };
}
