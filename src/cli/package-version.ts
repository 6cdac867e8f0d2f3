import { readFileSync } from "node:fs";
import { shippedFile } from "../io/process/own-files.ts";

/** The version in package.json. */
export function packageVersion(): string {
  const text = readFileSync(shippedFile("package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
