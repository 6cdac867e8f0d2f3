import { createTask, validateDetailed } from "node-cron";
import { messageOf } from "../../domain/error-message.ts";

/** What is wrong with a cron pattern; undefined if nothing is. */
export function schedulePatternProblem(pattern: string): string | undefined {
  const fields = pattern.trim().split(/\s+/);
  if (fields.length !== 5 && fields.length !== 6)
    return `a schedule has six fields, seconds first, or five, not ${fields.length}`;
  const wide = fields.findIndex(
    (field, index) => stepOf(field) >= (SIZES.at(index - fields.length) ?? 0),
  );
  if (wide !== -1)
    return `"${fields[wide]}" has a step too long for its field, so that it would match once in its range: write one value`;
  try {
    const checked = validateDetailed(pattern);
    if (checked.valid) return hasSlot(pattern) ? undefined : NEVER;
    const wrong = checked.errors.map(
      ({ field, value }) => `the ${wordsOf(field)} "${value}" is not valid`,
    );
    return wrong.length === 0 ? "no field of it can be read" : wrong.join(", ");
  } catch (error) {
    return messageOf(error);
  }
}

const NEVER = "no day matches it: the day of month, the month and the day of week must all match";

/** Fields that are valid by themselves may exclude each other. */
function hasSlot(pattern: string): boolean {
  const task = createTask(pattern, () => undefined, { timezone: "Etc/UTC" });
  try {
    return task.getNextRuns(1).length > 0;
  } catch {
    // There is none in the next hundred years.
    return false;
  } finally {
    void task.destroy();
  }
}

/** How many values a field has, seconds first, day of the month fourth. */
const SIZES = [60, 60, 24, 31, 12, 7];

/** The step: 15 in a field such as `0-45/15`, 0 in a field without one. */
function stepOf(field: string): number {
  const steps = field.split(",").map((part) => Number(part.split("/")[1] ?? 0));
  return Math.max(...steps.filter(Number.isFinite), 0);
}

/** The library's `dayOfMonth` as people say it: day of month. */
function wordsOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
