/**
 * Loaded into a process by NODE_OPTIONS: a name below `silent.invalid` is looked up forever. As with a name server
 * that does not answer, a thread hangs meanwhile: here on a FIFO (SILENT_FIFO) that has no writer. If SIGNAL_AT_LOOKUP
 * is set, the process gets that signal when the look-up has begun.
 */
import dns from "node:dns";
import { open } from "node:fs";

const { lookup } = dns;
dns.lookup = (name, ...rest) => {
  if (!name.endsWith("silent.invalid")) return lookup(name, ...rest);
  const { SILENT_FIFO, SIGNAL_AT_LOOKUP } = process.env;
  open(SILENT_FIFO, "r", () => {});
  if (SIGNAL_AT_LOOKUP) process.kill(process.pid, SIGNAL_AT_LOOKUP);
};
