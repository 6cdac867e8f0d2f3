import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname } from "node:path";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";

/** The checksums before the code: of the module's text, and of the code. V8 checks neither. */
const SUMS_BYTES = 8;

type Wrapped = (this: unknown, ...given: readonly unknown[]) => void;

type Loaded = { readonly keptAs: string; readonly text: Buffer; readonly script: Script };

/**
 * Keeps the code of modules with that of their functions, which Node's own cache lacks: V8 compiles a function at its
 * first call, and Node takes the code before that. A start calls thousands of functions, so here the code is taken
 * after they were called. V8 gives that only for a script, and so only for CommonJS.
 *
 * From here on, modules of `folder` are loaded with their kept code, if there is any for the same text. Each call of
 * the returned function keeps the code of one module that had to be compiled; it returns false if none is left.
 *
 * @param folder of modules that are written in ASCII, and have no `import()`
 * @param pathOf the file for the code of a module, by the module's name
 */
export function keepCode(folder: string, pathOf: (name: string) => string): () => boolean {
  const { extensions } = createRequire(import.meta.url);
  const loadOther = extensions[".js"];
  const compiled: Loaded[] = [];
  extensions[".js"] = (module, path) => {
    if (dirname(path) !== folder) return loadOther(module, path) as unknown;
    const text = readFileSync(path);
    const keptAs = pathOf(basename(path));
    const cachedData = keptCode(keptAs, text);
    const source = `(function (exports, require, module, __filename, __dirname) {${text.toString("latin1")}\n})`;
    const script = new Script(source, { filename: path, cachedData });
    if (script.cachedDataRejected !== false) compiled.push({ keptAs, text, script });
    const run = script.runInThisContext() as Wrapped;
    run.call(module.exports, module.exports, createRequire(path), module, path, folder);
    return undefined;
  };
  return () => {
    const next = compiled.shift();
    if (next === undefined) return false;
    try {
      keep(next);
    } catch {
      // No room, or no right to write: each start compiles the module again, and that is all.
    }
    return true;
  };
}

/** A half-written file has other checksums. */
function keptCode(path: string, text: Buffer): Buffer | undefined {
  let kept: Buffer;
  try {
    kept = readFileSync(path);
  } catch {
    return undefined;
  }
  if (kept.length < SUMS_BYTES) return undefined;
  const code = kept.subarray(SUMS_BYTES);
  return kept.subarray(0, SUMS_BYTES).equals(sumsOf(text, code)) ? code : undefined;
}

function keep({ keptAs, text, script }: Loaded): void {
  const code = script.createCachedData();
  writeFileSync(keptAs, Buffer.concat([sumsOf(text, code), code]));
}

function sumsOf(text: Buffer, code: Buffer): Buffer {
  const sums = Buffer.alloc(SUMS_BYTES);
  sums.writeUInt32LE(crc32(text));
  sums.writeUInt32LE(crc32(code), 4);
  return sums;
}
