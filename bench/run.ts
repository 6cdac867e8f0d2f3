import { availableParallelism, cpus, loadavg } from "node:os";
import { benchShards } from "./shards.ts";
import { FULL, MILLION, scenarios } from "./scenarios.ts";
import { tryDeployments } from "./deployments.ts";
import { soak } from "./soak.ts";
import { table, type Row } from "./table.ts";

/** `npm run bench [NAME...]`: runs the scenarios, all by default, and prints one table; or `soak`, `deployments` or `shards-million`, which last. */
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(scenarios, name));
if (asked[0] === "soak") {
  process.exitCode = (await soak(asked.slice(1), say)) ? 0 : 1;
} else if (asked[0] === "deployments") {
  process.exitCode = (await tryDeployments(asked.slice(1), say)) ? 0 : 1;
} else if (asked[0] === "shards-million") {
  say(table(await benchShards(MILLION)));
} else if (unknown.length > 0) {
  say(`no scenario ${unknown.join(", ")}; there are ${Object.keys(scenarios).join(", ")}`);
  process.exitCode = 1;
} else {
  const rows: Row[] = [];
  for (const [name, run] of Object.entries(scenarios)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    process.stderr.write(`${name}...\n`);
    rows.push(...(await run(FULL)));
  }
  const load = loadavg()[0]?.toFixed(1);
  const cores = `${availableParallelism()} cores, ${cpus()[0]?.model ?? "unknown"}`;
  say(`Node ${process.version}, ${cores}, load ${load} (of the last minute)`);
  say("");
  say(table(rows));
}
