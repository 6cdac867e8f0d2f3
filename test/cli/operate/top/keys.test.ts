import { PassThrough } from "node:stream";
import { describe, expect, it, type TestContext } from "vitest";
import { DAY } from "../../../../src/domain/time.ts";
import { readKeys } from "../../../../src/cli/operate/top/keys.ts";

function keyboard(context: TestContext) {
  const raw: boolean[] = [];
  const input = Object.assign(new PassThrough(), { setRawMode: (is: boolean) => raw.push(is) });
  const stop = new AbortController();
  const keys = readKeys(input, stop.signal);
  context.onTestFinished(keys.close);
  /** So many keys. */
  const typed = async (count: number): Promise<ReadonlyArray<string | undefined>> => {
    const all: Array<string | undefined> = [];
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    while (all.length < count) all.push(await keys.next(DAY));
    return all;
  };
  return { keys, input, stop, typed, raw };
}

describe("the keys of a terminal", () => {
  it.for([
    ["up", ["\u001B[A", "\u001BOA"]],
    ["down", ["\u001B[B", "\u001BOB"]],
    ["page-up", ["\u001B[5~"]],
    ["page-down", ["\u001B[6~"]],
    ["first", ["\u001B[H", "\u001BOH", "\u001B[1~"]],
    ["last", ["\u001B[F", "\u001BOF", "\u001B[4~"]],
    ["enter", ["\r", "\n"]],
    ["escape", ["\u001B"]],
    ["backspace", ["\u007F", "\b"]],
  ] as ReadonlyArray<[string, readonly string[]]>)(
    "have names if they have no character: %s",
    async ([name, sequences], context) => {
      const { input, typed } = keyboard(context);
      input.write(sequences.join(""));
      expect(await typed(sequences.length)).toEqual(sequences.map(() => name));
    },
  );

  it("come one by one, each of another name as one, and a character as a whole", async (context) => {
    const { input, typed } = keyboard(context);
    const [start, rest] = [Buffer.from("é").subarray(0, 1), Buffer.from("é").subarray(1)];
    input.write("a\u001B[1;5Cb");
    input.write(start);
    input.write(rest);
    input.write("👍");
    expect(await typed(5)).toEqual(["a", "\u001B[1;5C", "b", "é", "👍"]);
  });

  it.for([
    ["Ctrl-C", ({ input }) => input.write("a\u0003b")],
    ["Ctrl-D", ({ input }) => input.write("a\u0004b")],
    ["the end of the input", ({ input }) => input.end("a")],
  ] as ReadonlyArray<[string, (keys: ReturnType<typeof keyboard>) => unknown]>)(
    "end with %s, after what was typed before",
    async ([, end], context) => {
      const all = keyboard(context);
      end(all);
      expect(await all.typed(3)).toEqual(["a", "end", "end"]);
    },
  );

  it("end if the command is to end, also while one is waited for", async (context) => {
    const { stop, keys } = keyboard(context);
    const next = keys.next(DAY);
    stop.abort();
    expect(await next).toBe("end");
  });

  it("are waited for until a time, or until something else is done", async (context) => {
    const { keys } = keyboard(context);
    expect(await keys.next(1)).toBeUndefined();
    expect(await keys.next(DAY, Promise.resolve())).toBeUndefined();
  });

  it("come one by one only until they are read no more", async (context) => {
    const { raw, keys, input } = keyboard(context);
    expect(raw).toEqual([true]);
    keys.close();
    expect(raw).toEqual([true, false]);
    input.write("a");
    expect(await keys.next(1)).toBeUndefined();
  });
});
