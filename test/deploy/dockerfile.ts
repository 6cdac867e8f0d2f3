import { read } from "./rule-files.ts";

/** What the Dockerfile says of the image that comes out of it. */

const text = read("Dockerfile").replaceAll("\\\n", " ");
const lastStage = text.slice(text.lastIndexOf("\nFROM "));

/** What follows an instruction that stands once in the last stage. */
export function instructionOf(name: string): string {
  return new RegExp(`^${name} (.*)$`, "m").exec(lastStage)?.[1]?.trim() ?? "";
}

/** The variables that the image sets. */
export function environmentOf(): Readonly<Record<string, string>> {
  const pairs = instructionOf("ENV").split(/\s+/);
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = "", value = ""] = pair.split("=");
      return [name, value];
    }),
  );
}
