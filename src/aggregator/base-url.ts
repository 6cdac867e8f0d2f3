import type { Result } from "../domain/result.ts";
import { fail, succeed } from "../domain/result.ts";

/**
 * Reads an aggregator's base URL. It may have a path of its own (`…/bsc-mainnet/backend`). It may not
 * hold credentials, a query or a fragment: credentials come from files or the environment only.
 * The problem never repeats the text, as it may hold a password.
 */
export function parseBaseUrl(text: string): Result<URL, string> {
  if (!URL.canParse(text)) return fail("is not a URL; it looks like https://host/path");
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return fail("must begin with http:// or https://");
  if (url.username !== "" || url.password !== "")
    return fail("must not hold a user name or a password; use `auth`");
  if (url.search !== "" || url.hash !== "") return fail("must not have a query or a fragment");
  if (url.pathname.includes("%") || url.pathname.includes("//"))
    return fail("must have a plain path, without % and empty segments");
  return succeed(url);
}

/** The path of the base URL without its trailing slash: empty, or `/bsc-mainnet/backend`. */
export function basePrefix(base: URL): string {
  return base.pathname.replace(/\/$/, "");
}

/** Joins a request's path and query to the base URL, whose own path is kept. */
export function joinUrl(base: URL, path: string, query: Readonly<Record<string, string>>): URL {
  const url = new URL(base.origin);
  url.pathname = `${basePrefix(base)}/${path.replace(/^\//, "")}`;
  for (const [key, value] of Object.entries(query)) url.searchParams.append(key, value);
  return url;
}
