/** Runs the program whose path is in PROGRAM as process 1 of a PID namespace, instead of this process. */
import { execFileSync } from "node:child_process";

const unshare = execFileSync("sh", ["-c", "command -v unshare"], { encoding: "utf8" }).trim();
const { PROGRAM: program, ...env } = process.env;
const given = [process.execPath, program, ...process.argv.slice(2)];
process.execve(unshare, [unshare, "--pid", "--fork", "--kill-child", ...given], env);
