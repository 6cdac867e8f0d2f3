/** What a reading says against itself: that it is a part only, that an error came with it, or a key twice. */
export const MARKS = [
  "status_206",
  "content_range",
  "link_next",
  "total_count",
  "error",
  "has_more",
  "duplicate_key",
] as const;
type Mark = (typeof MARKS)[number];

type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** A reading with a mark on it. A list has no room beside its data, and gets the status instead of a key. */
export function withMark<Marked extends Reply>(mark: Mark, reply: Marked): Marked {
  const { body, headers } = reply;
  const beside = (field: string): Marked =>
    body.startsWith("{") && body !== "{}"
      ? { ...reply, body: `{${field},${body.slice(1)}` }
      : { ...reply, status: 206 };
  switch (mark) {
    case "status_206":
      return { ...reply, status: 206 };
    case "content_range":
      return { ...reply, headers: { ...headers, "content-range": "items 0-0/1000000" } };
    case "link_next":
      return { ...reply, headers: { ...headers, link: '</next>; rel="next"' } };
    case "total_count":
      // Of what is not a list it says nothing.
      if (!hasList(JSON.parse(body))) return { ...reply, status: 206 };
      return { ...reply, headers: { ...headers, "x-total-count": "1000000" } };
    case "error":
      return beside('"error":{"reason":"a part could not be read"}');
    case "has_more":
      return beside('"has_more":true');
    case "duplicate_key":
      return beside(`${JSON.stringify(Object.keys(JSON.parse(body) as object)[0] ?? "")}:[]`);
  }
}

function hasList(body: unknown): boolean {
  return Array.isArray(body) || Object.values(body as object).some(Array.isArray);
}
