/** The little Markdown that runbooks are written in, as data: blocks of spans. Nothing in it is ever markup of a page. */

export type Span =
  | { readonly type: "text" | "code" | "strong"; readonly text: string }
  | { readonly type: "link"; readonly text: string; readonly to: string };

export type Block =
  | { readonly type: "heading"; readonly level: number; readonly spans: readonly Span[] }
  | { readonly type: "paragraph"; readonly spans: readonly Span[] }
  | { readonly type: "code"; readonly text: string }
  | {
      readonly type: "list";
      readonly isOrdered: boolean;
      readonly items: ReadonlyArray<readonly Span[]>;
    };

export function blocksOf(markdown: string): Block[] {
  // Fences first, as blank lines in them separate nothing.
  const parts = markdown.split(/^```[^\n]*\n([\s\S]*?)^```\s*$/m);
  return parts.flatMap((part, index): Block[] =>
    index % 2 === 1 ? [{ type: "code", text: part.trimEnd() }] : plainBlocks(part),
  );
}

function plainBlocks(text: string): Block[] {
  return text
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .flatMap(blockOf);
}

const ITEM = /^\s*(?:[-*]|\d+\.)\s+/;

function blockOf(part: string): Block[] {
  const [, marks, title = "", rest = ""] = /^(#{1,6})\s+([^\n]*)\n?([\s\S]*)$/.exec(part) ?? [];
  if (marks !== undefined) {
    const heading: Block = { type: "heading", level: marks.length, spans: spansOf(title) };
    return [heading, ...plainBlocks(rest)];
  }
  if (!ITEM.test(part)) return [{ type: "paragraph", spans: spansOf(part) }];
  const items = part
    .split(/\n(?=\s*(?:[-*]|\d+\.)\s)/)
    .map((item) => spansOf(item.replace(ITEM, "")));
  return [{ type: "list", isOrdered: /^\s*\d/.test(part), items }];
}

const SPAN = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/g;

/** A line of prose. */
export function spansOf(text: string): Span[] {
  const line = text.replaceAll(/\s*\n\s*/g, " ");
  const spans: Span[] = [];
  let end = 0;
  for (const { 0: whole, 1: code, 2: strong, 3: words = "", 4: to = "", index } of line.matchAll(
    SPAN,
  )) {
    if (index > end) spans.push({ type: "text", text: line.slice(end, index) });
    if (code !== undefined) spans.push({ type: "code", text: code });
    else if (strong !== undefined) spans.push({ type: "strong", text: strong });
    else spans.push({ type: "link", text: words, to });
    end = index + whole.length;
  }
  if (end < line.length) spans.push({ type: "text", text: line.slice(end) });
  return spans;
}
