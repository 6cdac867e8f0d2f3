/** The message of an error and of its causes, on one line. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : ` (${messageOf(error.cause)})`;
  return `${error.message}${cause}`;
}
