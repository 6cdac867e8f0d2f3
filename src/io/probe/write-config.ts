import { isNode, parseDocument, visit, YAMLMap, YAMLSeq, type Document } from "yaml";
import { fail, succeed, type Result } from "../../domain/result.ts";
import type { SuggestedSetting } from "./suggest-settings.ts";

/** The config that a probe suggests: the present config with the suggested settings, each with its reason. */

/** The first line, which shows that a probe wrote the file and may overwrite it. */
const WRITTEN = "Written by aggwatch probe --write";

const OWN_HEAD = new RegExp(`^# ${WRITTEN}.*\\n+`);

type SuggestedConfig = {
  /** The config as it is; undefined if there is none. */
  readonly text: string | undefined;
  /** The address of the first aggregator, if it is not to be the config's. */
  readonly baseUrl?: string | undefined;
  readonly aggregators: ReadonlyArray<{
    readonly name: string;
    readonly baseUrl: string;
    readonly settings: readonly SuggestedSetting[];
  }>;
};

/** The text of the config; the problem is a sentence. */
export function configText({
  text,
  baseUrl: given,
  aggregators,
}: SuggestedConfig): Result<string, string> {
  const document = parseDocument((text ?? "").replace(OWN_HEAD, ""));
  const [error] = document.errors;
  if (error !== undefined) return fail(error.message);
  if (document.contents === null) document.contents = new YAMLMap(document.schema) as never;
  const list = listOf(document);
  if (list === undefined) return fail("`aggregators` is not a list");
  if (given !== undefined || aggregators.some(({ settings }) => settings.length > 0))
    expandAliases(document, list);
  for (const [index, own] of aggregators.entries()) {
    if (list.items[index] === undefined) {
      const { name, baseUrl } = own;
      list.items.push(document.createNode({ name, base_url: baseUrl }));
    }
    if (index === 0 && given !== undefined) document.setIn(["aggregators", 0, "base_url"], given);
    for (const setting of own.settings) put(document, ["aggregators", index], setting);
  }
  const head = `# ${WRITTEN}: check what the fields mean, then probe again with this file.`;
  return succeed(`${head}\n\n${document.toString({ lineWidth: 0 })}`);
}

function listOf(document: Document): YAMLSeq | undefined {
  const known: unknown = document.get("aggregators");
  if (known === undefined || known === null) {
    const list = new YAMLSeq(document.schema);
    document.set("aggregators", list);
    return list;
  }
  return known instanceof YAMLSeq ? known : undefined;
}

/** Puts what they stand for in the place of aliases: a setting of one aggregator must not change another. */
function expandAliases(document: Document, list: YAMLSeq): void {
  visit(list, {
    Alias: (_, alias) => {
      const copy: unknown = alias.resolve(document)?.clone();
      if (!isNode(copy)) return undefined;
      visit(copy, { Value: (_inner, node) => void delete node.anchor });
      return copy;
    },
  });
}

/** Sets a key, and makes the maps that lead to it; other keys stay. */
function put(
  document: Document,
  above: readonly (string | number)[],
  { path, value, why }: SuggestedSetting,
): void {
  const whole = [...above, ...path];
  // A flow mapping has no place for a comment.
  for (let depth = above.length; depth < whole.length; depth += 1) {
    const inner: unknown = document.getIn(whole.slice(0, depth));
    if (inner instanceof YAMLMap) inner.flow = false;
  }
  const known: unknown = document.getIn(whole);
  // A query is a setting for each argument: the others stay.
  if (path.at(-1) === "query" && known instanceof YAMLMap && typeof value === "object")
    for (const [key, text] of Object.entries(value ?? {})) known.set(key, text);
  else document.setIn(whole, document.createNode(value));
  const holder: unknown = document.getIn(whole.slice(0, -1));
  if (!(holder instanceof YAMLMap)) return;
  const pair = holder.items.find(({ key }) => String(key) === whole.at(-1));
  if (pair === undefined) return;
  const key = document.createNode(whole.at(-1));
  key.commentBefore = why.map((line) => ` ${line}`).join("\n");
  pair.key = key;
}

/** Whether a probe wrote the file, so that it may overwrite it. */
export function isWritten(text: string): boolean {
  return text.trimStart().startsWith(`# ${WRITTEN}`);
}
