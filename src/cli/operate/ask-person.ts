import { createInterface } from "node:readline/promises";

/** Asks on a terminal, and gives the line that is typed; empty if the input ends, or the command is to end. */
export async function askPerson(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  signal: AbortSignal,
): Promise<string> {
  const lines = createInterface({ input, output });
  const ended = new Promise<string>((resolve) => {
    lines.once("close", () => resolve(""));
  });
  try {
    return await Promise.race([lines.question(question, { signal }).catch(() => ""), ended]);
  } finally {
    lines.close();
  }
}
