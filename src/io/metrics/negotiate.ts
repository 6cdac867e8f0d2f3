import type { Format } from "./text-format.ts";

/** The format and encoding that a request's headers ask for (RFC 9110, section 12.5). */

/** OpenMetrics if the header names it with at least the quality of plain text; a browser gets plain text. */
export function formatFor(accept: string | undefined): Format {
  const wanted = qualities(accept);
  const open = wanted.get("application/openmetrics-text") ?? 0;
  return open > 0 && open >= (wanted.get("text/plain") ?? 0) ? "openmetrics" : "prometheus";
}

export function takesGzip(acceptEncoding: string | undefined): boolean {
  const wanted = qualities(acceptEncoding);
  return (wanted.get("gzip") ?? wanted.get("x-gzip") ?? wanted.get("*") ?? 0) > 0;
}

/** The quality of each value in such a header, from 0 to 1; the best mention counts. */
function qualities(header: string | undefined): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const entry of (header ?? "").split(",")) {
    const [name = "", ...parameters] = entry.split(";").map((part) => part.trim().toLowerCase());
    if (name === "") continue;
    const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
    const value = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(quality) ? Number(quality) : 0;
    found.set(name, Math.max(found.get(name) ?? 0, value));
  }
  return found;
}
