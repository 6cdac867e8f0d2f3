import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { code, replaceSection, table } from "../../tools/describe.ts";
import { BODY_WORDS } from "../../src/domain/notification.ts";
import { notifiers } from "../../src/notifiers/index.ts";

/** `UPDATE_DOCS=1` writes the tables anew. */
const file = join(import.meta.dirname, "../../docs/notifications.md");

const receivers = table(
  ["Receiver", "Meaning", "Tells of", "In one request"],
  notifiers.map(({ name, means, topics, most, grouping }) => [
    code(name),
    means,
    topics.map(code).join(", "),
    grouping === "rule" ? `${most}, of one rule on one aggregator` : String(most),
  ]),
);

const words = table(
  ["Word", "Meaning"],
  Object.entries(BODY_WORDS).map(([name, means]) => [code(`notification.${name}`), means]),
);

it("documents every notifier, and every word of a webhook's body", () => {
  const text = readFileSync(file, "utf8");
  const wanted = replaceSection(replaceSection(text, "notifiers", receivers), "words", words);
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, wanted);
  else expect(text).toBe(wanted);
});
