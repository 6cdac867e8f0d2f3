import { validateDetailed } from "node-cron";

/** Says what is wrong with a cron pattern, or nothing where it is right. */
export function schedulePatternProblem(pattern: string): string | undefined {
  const fields = pattern.trim().split(/\s+/).length;
  if (fields !== 5 && fields !== 6)
    return `a schedule has six fields, seconds first, or five, not ${fields}`;
  try {
    const checked = validateDetailed(pattern);
    if (checked.valid) return undefined;
    const wrong = checked.errors.map(
      ({ field, value }) => `the ${wordsOf(field)} "${value}" is not valid`,
    );
    return wrong.length === 0 ? "no field of it can be read" : wrong.join(", ");
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The library's `dayOfMonth` as people say it: day of month. */
function wordsOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
