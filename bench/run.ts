import { availableParallelism, cpus, loadavg } from "node:os";
import { benchShards } from "./shards.ts";
import { FULL, MILLION, scenarios } from "./scenarios.ts";
import { tryDeployments } from "./deployments.ts";
import { writeReports } from "./report.ts";
import { soak } from "./soak.ts";
import { table, type Row } from "./table.ts";

/**
 * `npm run bench [--write] [NAME...]`: runs the scenarios, all by default, and prints a table of each, or writes it into
 * docs/benchmarks.md; or `soak`, `deployments` or `shards-million`, which last.
 */
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const isWritten = process.argv.includes("--write");
const asked = process.argv.slice(2).filter((name) => name !== "--write");
const unknown = asked.filter((name) => !Object.hasOwn(scenarios, name));
if (asked[0] === "soak") {
  process.exitCode = (await soak(asked.slice(1), say)) ? 0 : 1;
} else if (asked[0] === "deployments") {
  process.exitCode = (await tryDeployments(asked.slice(1), say)) ? 0 : 1;
} else if (asked[0] === "shards-million") {
  tell("shards-million", await benchShards(MILLION));
} else if (unknown.length > 0) {
  say(`no scenario ${unknown.join(", ")}; there are ${Object.keys(scenarios).join(", ")}`);
  process.exitCode = 1;
} else {
  for (const [name, run] of Object.entries(scenarios)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    process.stderr.write(`${name}...\n`);
    tell(name, await run(FULL));
  }
}

/** A scenario whose tools are not there gives no rows, and says so itself. */
function tell(name: string, rows: readonly Row[]): void {
  if (rows.length === 0) return;
  const load = loadavg()[0]?.toFixed(1);
  const cores = `${availableParallelism()} cores, ${cpus()[0]?.model ?? "unknown"}`;
  const machine = `Node ${process.version}, ${cores}, load ${load} of the last minute:`;
  const report = `${machine}\n\n${table(rows)}`;
  say(`${report}\n`);
  if (isWritten) writeReports(new Map([[name, report]]));
}
