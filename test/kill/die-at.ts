import { Agent } from "node:http";
import { DatabaseSync, StatementSync } from "node:sqlite";

/**
 * Loaded before the daemon (`node --import`), so that it dies by SIGKILL at an exact boundary, and
 * nothing in `src` knows of it. `DIE_AT` says which one:
 *
 *     before commit TABLE STATE   the transaction is written, and not committed
 *     after commit TABLE STATE    it is on disk, and nothing that follows has happened
 *     before migration SCHEMA     nothing of the step is done
 *     within migration SCHEMA     the step is done, and not committed
 *     after migration SCHEMA      it is on disk
 *     before send METHOD          the request is made, and not a byte has left
 */
const [when = "", what = "", ...words] = (process.env["DIE_AT"] ?? "").split(" ");

function die(): void {
  process.kill(process.pid, "SIGKILL");
}

if (what === "commit") {
  const [table = "", state = ""] = words;
  let isMarked = false;
  type Runs = { run: (...values: unknown[]) => unknown };
  const statement = StatementSync.prototype as unknown as Runs;
  const run = statement.run;
  statement.run = function (this: Runs, ...values) {
    const [name, , value] = values;
    if (name === table && typeof value === "string" && value.includes(`"state":"${state}"`)) {
      isMarked = true;
    }
    return run.apply(this, values);
  };
  type Executes = { exec: (sql: string) => void };
  const database = DatabaseSync.prototype as unknown as Executes;
  const exec = database.exec;
  database.exec = function (this: Executes, sql) {
    const isEnd = isMarked && sql === "COMMIT";
    if (isEnd && when === "before") die();
    exec.call(this, sql);
    if (isEnd && when === "after") die();
  };
}

if (what === "migration") {
  let isDone = false;
  type Executes = { exec: (sql: string) => void };
  const database = DatabaseSync.prototype as unknown as Executes;
  const exec = database.exec;
  database.exec = function (this: Executes, sql) {
    const isStep = sql.endsWith(`PRAGMA user_version = ${words[0]}`);
    if (isStep && when === "before") die();
    exec.call(this, sql);
    if (isStep && when === "within") die();
    isDone ||= isStep;
    if (isDone && sql === "COMMIT") die();
  };
}

if (what === "send") {
  type WithRequests = { addRequest: (request: { method: string }, ...rest: unknown[]) => void };
  const agent = Agent.prototype as unknown as WithRequests;
  const addRequest = agent.addRequest;
  agent.addRequest = function (this: WithRequests, request, ...rest) {
    if (request.method === words[0]) die();
    addRequest.call(this, request, ...rest);
  };
}
