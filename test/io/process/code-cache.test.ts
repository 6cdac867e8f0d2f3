import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../temporary-directory.ts";

const CODE_CACHE = join(import.meta.dirname, "../../../src/io/process/code-cache.ts");

/** Loads `main.js` of the folder, prints what it exports, and keeps what was compiled. */
const RUN = `
import { createRequire } from "node:module";
import { join } from "node:path";
import { keepCode } from ${JSON.stringify(CODE_CACHE)};
const [folder, cache] = process.argv.slice(1);
const keepNext = keepCode(folder, (name) => join(cache, name));
console.log(createRequire(join(folder, "x"))("./main.js"));
let kept = 0;
while (keepNext()) kept += 1;
console.log(kept);
`;

let folder = "";
let cache = "";
let remove: () => void;

beforeEach(() => {
  const made = temporaryDirectory();
  // As modules are found: without links.
  [folder, cache, remove] = [realpathSync(made.path), join(made.path, "cache"), made.remove];
  mkdirSync(cache);
});
afterEach(() => remove());

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

/** What the module exports, and how many modules were compiled again. */
function run(): readonly string[] {
  const args = ["--input-type=module", "-e", RUN, folder, cache];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", env: {} });
  expect(stderr).toBe("");
  return stdout.trim().split("\n");
}

describe("the code that is kept", () => {
  it("is that of the functions that were called, of every module of the folder", () => {
    write("main.js", "module.exports = require('./other.js').called();");
    write(
      "other.js",
      "exports.called = () => 'it was' + ' called'; exports.not = () => 'never' + ' run';",
    );
    expect(run()).toEqual(["it was called", "2"]);
    const code = readFileSync(join(cache, "other.js"), "latin1");
    expect(code).toContain("it was");
    expect(code).not.toContain("never");
    expect(run()).toEqual(["it was called", "0"]);
  });

  it("is not used for another text, be it of the same length", () => {
    write("main.js", "module.exports = (() => 'before')();");
    expect(run()).toEqual(["before", "1"]);
    write("main.js", "module.exports = (() => 'behind')();");
    expect(run()).toEqual(["behind", "1"]);
    expect(run()).toEqual(["behind", "0"]);
  });

  it.each([
    ["cut off", (code: Buffer) => code.subarray(0, code.length / 2)],
    ["empty", () => Buffer.alloc(0)],
    ["altered", (code: Buffer) => Buffer.from(code.map((byte, at) => (at < 200 ? byte : ~byte)))],
  ])("is not used if it is %s", (_, spoil) => {
    write("main.js", "module.exports = (() => 'sound')();");
    run();
    const path = join(cache, "main.js");
    writeFileSync(path, spoil(readFileSync(path)));
    expect(run()).toEqual(["sound", "1"]);
    expect(run()).toEqual(["sound", "0"]);
  });

  it("is not missed if nothing can be kept", () => {
    write("main.js", "module.exports = 'run all the same';");
    cache = join(cache, "missing");
    expect(run()).toEqual(["run all the same", "1"]);
  });
});

it("leaves the modules of other folders alone, and gives its own what Node does", () => {
  const elsewhere = join(folder, "elsewhere");
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, "index.js"), "module.exports = 'as before';");
  write(
    "main.js",
    `const own = [this === exports, module.exports === exports, __filename, __dirname];
    const loaded = [require("./elsewhere"), require.resolve("./main.js")];
    module.exports = JSON.stringify([...own, ...loaded]);`,
  );
  const [told = "", kept] = run();
  const path = join(folder, "main.js");
  expect(JSON.parse(told)).toEqual([true, true, path, folder, "as before", path]);
  expect(kept).toBe("1");
});

it("tells the place of an error as it is in the file", () => {
  write("main.js", "\nmodule.exports = (() => new Error('here').stack.split('\\n')[1])();");
  expect(run()[0]).toContain(`${join(folder, "main.js")}:2:25`);
  expect(run()[0]).toContain(`${join(folder, "main.js")}:2:25`);
});
