import { parseArgs } from "node:util";
import { tryMemory, type Tried } from "./least-memory/trial.ts";

/**
 * `node bench/least-memory.ts --senders 2000`: the least memory with which the daemon lives, measured in a control
 * group of Linux (so as root). A trial takes minutes, and longer where the machine is too busy to read all senders in
 * that time, so it is not one of `npm run bench`.
 */
const { values } = parseArgs({
  options: {
    senders: { type: "string", default: "2000" },
    from: { type: "string", default: "64" },
    to: { type: "string", default: "320" },
    step: { type: "string", default: "16" },
    seconds: { type: "string", default: "180" },
  },
});
const number = (name: keyof typeof values): number => Number(values[name]);
const [senders, step, seconds] = [number("senders"), number("step"), number("seconds")];
const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function tried(mebibytes: number): Promise<Tried> {
  const result = await tryMemory({ senders, mebibytes, seconds });
  const { oomKills, usedMebibytes, knownSenders, checks, failedChecks } = result;
  const used = `${usedMebibytes} MiB at most without page cache`;
  const facts = `${used}, ${knownSenders} senders read, ${checks} health checks (${failedChecks} failed)`;
  say(
    `${senders} senders, ${mebibytes} MiB: ${result.ended ?? "lived"}; ${facts}, ${oomKills} OOM kills (cgroup v${result.cgroup})`,
  );
  return result;
}

// Between what is too little and what is enough, halved until they are neighbours.
let tooLittle = number("from") - step;
let enough = number("to");
while (enough - tooLittle > step) {
  const middle = tooLittle + step * Math.floor((enough - tooLittle) / step / 2);
  // oxlint-disable-next-line no-await-in-loop -- what was found decides what is tried next
  const { ended } = await tried(middle);
  if (ended === undefined) enough = middle;
  else tooLittle = middle;
}
const { ended } = await tried(enough);
say(
  ended === undefined
    ? `${senders} senders: ${enough} MiB is the least, in steps of ${step} MiB; it lived twice`
    : `${senders} senders: ${enough} MiB is not enough`,
);
process.exitCode = ended === undefined ? 0 : 1;
