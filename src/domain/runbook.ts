/** What the annotation `runbook_url` of an alert names. */
export type Runbook =
  /** A runbook of the user's own. */
  | { readonly url: string }
  /** A runbook that comes with aggwatch: the daemon serves it as `/runbooks/NAME`. */
  | { readonly name: string };

/** A path as in the shipped rules, `docs/runbooks/NAME.md`, optionally followed by a heading. */
const SHIPPED = /(?:^|\/)docs\/runbooks\/([A-Za-z0-9_-]+)\.md(?:#.*)?$/;

/** Undefined if there is none, or if it is neither an address nor a shipped runbook. */
export function runbookOf(annotations: Readonly<Record<string, string>>): Runbook | undefined {
  const { runbook_url: text = "" } = annotations;
  if (/^https?:\/\//.test(text)) return { url: text };
  const name = SHIPPED.exec(text)?.[1];
  return name === undefined ? undefined : { name };
}

/** The path under which the daemon serves a shipped runbook. */
export function runbookPath(name: string): string {
  return `/runbooks/${name}`;
}
