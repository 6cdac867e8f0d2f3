import { isMainThread } from "node:worker_threads";

/**
 * Loaded into the daemon that is measured, before it: answers each message of its parent with what the process has used.
 * A block is told in processor time of the main thread between two turns of its timers, so that a machine with other work
 * does not count; its garbage collection does.
 */
export type Sample = {
  readonly rssBytes: number;
  readonly heapBytes: number;
  /** Of the whole process, in microseconds. */
  readonly cpuUs: number;
  /** Since the sample before, in microseconds. */
  readonly longestBlockUs: number;
};

let longestBlockUs = 0;
let last = process.threadCpuUsage();
const look = (): void => {
  const now = process.threadCpuUsage();
  longestBlockUs = Math.max(longestBlockUs, now.user - last.user + now.system - last.system);
  last = now;
};
// The daemon's own threads load this too, and their timers would count as its work.
if (isMainThread) setInterval(look, 1).unref();

process.on("message", (asked: "sample" | "collect") => {
  if (asked === "collect") globalThis.gc?.();
  const { rss: rssBytes, heapUsed: heapBytes } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const sample: Sample = { rssBytes, heapBytes, cpuUs: user + system, longestBlockUs };
  process.send?.(sample);
  longestBlockUs = 0;
  last = process.threadCpuUsage();
});
process.channel?.unref();
