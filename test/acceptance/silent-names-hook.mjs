/**
 * Loaded into a process by NODE_OPTIONS: a name below `silent.invalid` is looked up forever. As with a name server
 * that does not answer, a thread hangs meanwhile: here on a FIFO (SILENT_FIFO) that has no writer.
 */
import dns from "node:dns";
import { open } from "node:fs";

const { lookup } = dns;
dns.lookup = (name, ...rest) => {
  if (!name.endsWith("silent.invalid")) return lookup(name, ...rest);
  open(process.env.SILENT_FIFO, "r", () => {});
};
