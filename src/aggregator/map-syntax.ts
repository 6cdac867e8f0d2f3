import jsonata from "jsonata";

/** Says what is wrong with the text of a JSONata expression, or undefined if it can be read. */
export function mapSyntaxProblem(text: string): string | undefined {
  try {
    jsonata(text);
    return undefined;
  } catch (error) {
    return describeMapError(error);
  }
}

/** JSONata throws plain objects with `code`, `position` and `message`; this makes one line of it. */
export function describeMapError(error: unknown): string {
  if (typeof error !== "object" || error === null) return "the expression cannot be evaluated";
  const { code, position, message } = error as Record<string, unknown>;
  const text =
    typeof message === "string"
      ? message.replace(/\s+/g, " ").slice(0, 160)
      : "cannot be evaluated";
  const at = typeof position === "number" ? ` at character ${position}` : "";
  return `${text}${at}${typeof code === "string" ? ` [${code}]` : ""}`;
}
