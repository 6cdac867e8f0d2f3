/** Tests src/cli/operate/mcp.ts: what is said of lines that are no messages. */
import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { commandLine } from "../command-line.ts";

it.each(["[]", "{}", "null", '{"jsonrpc":"1.0","id":1,"method":"ping"}'])(
  "says in a line that this is no message: %s",
  async (line) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    input.end(`${line}\n`);
    const ran = await commandLine(["mcp"], {}, { streams: { input, output } });
    expect(ran).toMatchObject({
      exitCode: 0,
      complained: "mcp: a line is not a message of JSON-RPC 2.0",
    });
  },
);
