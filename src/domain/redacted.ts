/** What stands in the place of a secret, wherever a text is shown or kept. */
export const REDACTED = "[redacted]";
