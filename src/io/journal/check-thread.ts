import { constants, platform, setPriority } from "node:os";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import { problemsIn } from "./inspect.ts";

/** The entry of the thread that checks a journal: `workerData` names the file, the answer lists its problems. */

// On Linux this sets the priority of this thread alone, elsewhere that of the whole process. A filter of system calls
// may refuse it, as that of the shipped unit of systemd does: the check is made with the usual priority then.
try {
  if (platform() === "linux") setPriority(constants.priority.PRIORITY_LOW);
} catch {}

// Without locks, because the daemon holds the only one, and without the log, so the file must not change.
const { file } = workerData as { readonly file: string };
const url = pathToFileURL(file);
url.searchParams.set("immutable", "1");
const database = new DatabaseSync(url, { readOnly: true });
const problems = problemsIn(database);
database.close();
parentPort?.postMessage(problems, []);
