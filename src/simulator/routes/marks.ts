/** How a reading can show that it is doubtful: it is partial, an error came with it, or it has a key twice. */
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

/** Puts a mark on a reading. A list has no place for a key, and gets status 206 instead. */
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
      // The header has no meaning without a list.
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
