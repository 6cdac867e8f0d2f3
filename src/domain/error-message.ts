/** The message of an error and of its causes, on one line; a cause that the message already names is not repeated. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : messageOf(error.cause);
  return error.message.includes(cause) ? error.message : `${error.message} (${cause})`;
}
