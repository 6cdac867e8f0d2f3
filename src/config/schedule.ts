import { validateDetailed } from "node-cron";

/** Says what is wrong with a cron pattern, or nothing where it is right. */
export function schedulePatternProblem(pattern: string): string | undefined {
  const fields = pattern.trim().split(/\s+/).length;
  if (fields !== 5 && fields !== 6)
    return `a schedule has six fields, seconds first, or five, not ${fields}`;
  try {
    const checked = validateDetailed(pattern);
    if (checked.valid) return undefined;
    const [error] = checked.errors;
    return error === undefined ? "is not a schedule" : `${error.field}: ${error.message}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
