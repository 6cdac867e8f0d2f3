/** Tests src/notifiers: docs. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { code, replaceSection, table } from "../../tools/describe.ts";
import { EVENT_WORDS, TOPICS } from "../../src/domain/notification.ts";
import { notifiers } from "../../src/notifiers/index.ts";
import { BODY_WORDS, type Notifier } from "../../src/notifiers/notifier.ts";

/** `UPDATE_DOCS=1` writes the tables again. */
const file = join(import.meta.dirname, "../../docs/notifications.md");

const receivers = table(
  ["Receiver", "Key", "Meaning", "Topics", "In one request"],
  notifiers.map(({ name, key, means, topics, most, grouping }: Notifier) => [
    code(name),
    code(`notify.${key}`),
    means,
    topics.map(code).join(", "),
    grouping === "rule" ? `${most}, of one rule on one aggregator` : String(most),
  ]),
);

const examples = [
  "```yaml",
  "server:",
  "  external_url: https://aggwatch.example      # how people reach the page, for links; without it there are none",
  "notify:",
  ...notifiers.flatMap(({ key, example }: Notifier) => [`  ${key}:`, `    - ${example}`]),
  "```",
].join("\n");

const HINT = "UPDATE_DOCS=1 npx vitest run test/notifiers";

const words = table(
  ["Word", "Meaning"],
  Object.entries(BODY_WORDS).map(([name, means]) => [code(`notification.${name}`), means]),
);

it("documents every notifier, and every word of a webhook's body", () => {
  const text = readFileSync(file, "utf8");
  const sections = { examples, notifiers: receivers, words };
  const wanted = Object.entries(sections).reduce(
    (all, [name, content]) => replaceSection(all, name, content),
    text,
  );
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, wanted);
  else expect(text, HINT).toBe(wanted);
});

it("shows every field of a webhook's body, by its name, in its order", () => {
  const text = readFileSync(file, "utf8");
  const [, section = ""] = text.split("## The body of a webhook");
  const [, example = ""] = /```json\n(.*?)```/s.exec(section) ?? [];
  const golden = join(import.meta.dirname, "golden/webhook-firing.json");
  const keysOf = (json: string): readonly string[] => {
    const body = JSON.parse(json) as { readonly notifications: readonly object[] };
    return [...Object.keys(body), ...Object.keys(body.notifications[0] ?? {})];
  };
  expect(keysOf(example)).toEqual(keysOf(readFileSync(golden, "utf8")));
});

it("names fields by which a webhook's receiver knows what it has seen, but not an end by its beginning", () => {
  const [sentence = ""] =
    /Receivers should\s+ignore[^.]*\./s.exec(readFileSync(file, "utf8")) ?? [];
  const fields = [...sentence.matchAll(/`(\w+)`/g)].map(([, field = ""]) => field);
  const [firing, resolved] = ["firing", "resolved"].map((state) => {
    const golden = join(import.meta.dirname, `golden/webhook-${state}.json`);
    const body = JSON.parse(readFileSync(golden, "utf8")) as { notifications: [object] };
    const own = new Map<string, unknown>(Object.entries(body.notifications[0]));
    return fields.map((field) => own.get(field));
  });
  expect(firing).not.toContain(undefined);
  expect(firing).not.toEqual(resolved);
});

it.each(notifiers.map(({ name }) => name))("documents the notifier %s", (name) => {
  const text = readFileSync(file, "utf8");
  expect(text.includes(`| ${code(name)} |`), `docs/notifications.md lacks ${name}: ${HINT}`).toBe(
    true,
  );
});

it.each([...TOPICS, ...EVENT_WORDS])("documents the topic or word of an event %s", (word) => {
  expect(readFileSync(file, "utf8")).toContain(code(word));
});
