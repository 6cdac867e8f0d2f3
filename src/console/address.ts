/** What the console shows, as the part of the address behind `#`: so every view, with its filters, is a link. */
export type View = {
  readonly path: readonly string[];
  readonly filters: Readonly<Record<string, string>>;
};

/** `#/entities?kind=pair`; `#p1`, as notifications link to a proposal, is the overview with it. */
export function viewOf(hash: string): View {
  const text = hash.replace(/^#/, "");
  if (text !== "" && !text.startsWith("/"))
    return { path: [], filters: { proposal: decoded(text) } };
  const cut = text.indexOf("?");
  const path = (cut === -1 ? text : text.slice(0, cut)).split("/").filter((part) => part !== "");
  const filters = new URLSearchParams(cut === -1 ? "" : text.slice(cut + 1));
  return { path: path.map(decoded), filters: Object.fromEntries(filters) };
}

/** Filters that are empty are left out, so that equal views have equal addresses. */
export function hashOf(path: readonly string[], filters: View["filters"] = {}): string {
  const given = Object.entries(filters)
    .filter(([, value]) => value !== "")
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  const query = new URLSearchParams(given).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${query === "" ? "" : `?${query}`}`;
}

/** The same view with other filters. */
export function filtered({ path, filters }: View, change: View["filters"]): string {
  return hashOf(path, { ...filters, ...change });
}

/** A part that is not encoded as it should be stays as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
