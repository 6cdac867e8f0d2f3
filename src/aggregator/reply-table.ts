import type { Json } from "../domain/result.ts";
import { REPLY_SHAPES, type ReplyShape } from "./reply-shapes.ts";

/** The table of replies in docs/aggregator.md. A field with a question mark may be absent or null. */
export function replyTable(): string {
  const rows = REPLY_SHAPES.map((shape) => {
    const names = shape.endpoints.map((name) => `\`${name}\``).join(", ");
    return `| ${names} | \`${shapeText(shape)}\` | ${shape.statedBy} | ${shape.notes} |`;
  });
  const head = "| reply of | default shape | stated by | what is stated, shown (C) or assumed |";
  return [head, "|---|---|---|---|", ...rows].join("\n");
}

function shapeText({ example, required }: ReplyShape): string {
  const describe = (value: Json, path: string): string => {
    if (Array.isArray(value)) return `[${describe(value[0] ?? null, `${path}[]`)}, …]`;
    if (typeof value !== "object" || value === null) return JSON.stringify(value);
    const fields = Object.entries(value).map(([key, field]) => {
      const own = path === "" ? key : `${path}.${key}`;
      return `${key}${required.includes(own) ? "" : "?"}: ${describe(field, own)}`;
    });
    return `{${fields.join(", ")}}`;
  };
  return describe(example, "");
}
