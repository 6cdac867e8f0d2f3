import { constants } from "node:http2";
import type { Plugin } from "rolldown";

/** What the package's bundle is spared, so that it starts sooner and in less memory than from source. */

/**
 * aggwatch speaks no HTTP/2. got could, and got and hono ask of what they are given if it is of that kind; to load what
 * Node has for it takes longer than to load HTTP/1.
 */
const HTTP2: Plugin = {
  name: "http2",
  resolveId: { filter: { id: /^node:http2$/ }, handler: () => "\0http2" },
  load: {
    filter: { id: /^\0http2$/ },
    handler: () => `
      export const constants = ${JSON.stringify(constants)};
      export class Http2ServerRequest {}
      export class Http2ServerResponse {}
      export default { constants };`,
  },
};

/** With the first of these, Node loads what it knows of languages; got's checks of types make two and use none. */
const LISTS: Plugin = {
  name: "lists",
  transform: {
    filter: { id: /\/@sindresorhus\/is\//, code: /new Intl\.ListFormat/ },
    handler: (code) =>
      code.replaceAll(
        /new Intl\.ListFormat\(.*?\)/gs,
        (made) => `{ format: (words) => ${made}.format(words) }`,
      ),
  },
};

/** The messages of zod are in fifty languages; those that people see are aggwatch's own. */
const LANGUAGES: Plugin = {
  name: "languages",
  load: {
    filter: { id: /\/zod\/v4\/locales\/index\.js$/ },
    handler: () => `export { default as en } from "./en.js";`,
  },
};

/** A file with one character beyond Latin 1 takes V8 twice the room, and longer to read. */
const CHARACTERS: Plugin = {
  name: "characters",
  generateBundle: (_options, bundle) => {
    for (const file of Object.values(bundle)) {
      if (file.type !== "chunk") continue;
      // There alone an escape is not a character.
      const [raw] = /String\.raw`[^`]*[^`\0-\x7f][^`]*`/.exec(file.code) ?? [];
      if (raw !== undefined)
        throw new Error(`${file.fileName}: write it without String.raw: ${raw}`);
      file.code = file.code.replaceAll(/[^\0-\x7f]/g, escaped);
    }
  },
};

/** Such a character is in a string, a template or a pattern, or in the comment of a licence, where this is as good. */
function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

export const LEAN: readonly Plugin[] = [HTTP2, LISTS, LANGUAGES, CHARACTERS];
