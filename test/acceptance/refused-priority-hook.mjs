/** Loaded into a daemon by NODE_OPTIONS: no thread may change its priority, as under a filter of system calls. */
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import threads, { isMainThread } from "node:worker_threads";

if (isMainThread) {
  const { Worker } = threads;
  threads.Worker = class extends Worker {
    constructor(entry, options) {
      super(entry, { ...options, execArgv: ["--import", import.meta.url] });
    }
  };
}
os.setPriority = () => {
  throw new Error(
    "A system error occurred: uv_os_setpriority returned EPERM (operation not permitted)",
  );
};
syncBuiltinESMExports();
