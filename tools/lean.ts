import type { Plugin } from "rolldown";

/** What the package's bundle is spared, so that it starts sooner and in less memory than from source. */

/**
 * An `import` of these asks for all that they export, and so loads Node's own `fetch`, which takes
 * nearly as long as Node itself; to ask for them as here does not.
 */
const BUILTINS: Plugin = {
  name: "builtins",
  resolveId: {
    filter: { id: /^(?:node:)?https?$/ },
    handler: (id) => `\0${id.replace("node:", "")}`,
  },
  load: {
    filter: { id: /^\0https?$/ },
    handler: (id) => ({
      code: `module.exports = process.getBuiltinModule(${JSON.stringify(id.slice(1))});`,
      moduleType: "js",
    }),
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
      // There alone an escape is no character.
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

export const LEAN: readonly Plugin[] = [BUILTINS, LISTS, LANGUAGES, CHARACTERS];
