import { SCOPES, type Scope } from "../../config/settings/tokens.ts";
import { CLIENT_VARIABLES } from "../../config/variables.ts";
import { succeed, type Result } from "../../domain/result.ts";
import { createMcpServer } from "../../io/api/mcp/server.ts";
import { EXIT, refuse, untilAborted, type CliCommand, type CliContext } from "../context.ts";
import { packageVersion } from "../package-version.ts";
import { callDaemon, TOKEN_FILE_OPTION, type ClientOptions } from "./client.ts";
import { daemonOption } from "./url-option.ts";

/** `aggwatch mcp`: the tools for agents over standard input and output. It asks the daemon as other commands do. */
export const mcpCommand: CliCommand<ClientOptions> = {
  name: "mcp",
  describe: (command) =>
    daemonOption(command)
      .description("Tools for agents (Model Context Protocol), over standard input and output.")
      .option(...TOKEN_FILE_OPTION),
  run: async (options, context) => {
    const { streams, complain, signal } = context;
    if (streams === undefined) return refuse(context, "there is no standard input to speak over");
    const scopes = await scopesOf(options, context);
    if (!scopes.ok) return refuse(context, scopes.problem);
    const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
    const { McpTransport } = await import("./mcp-transport.ts");
    const version = packageVersion();
    const ask = (call: Parameters<typeof callDaemon>[0]) => callDaemon(call, options, context);
    const transport = new McpTransport(streams.input, streams.output, signal);
    const handle = serveStdio(() => createMcpServer({ version, scopes: scopes.value, ask }), {
      transport,
      maxSubscriptions: 0,
      onerror: (error) => complain(`mcp: ${problemOf(error)}`),
    });
    await Promise.race([transport.ended, untilAborted(signal)]);
    await handle.close();
    return EXIT.ok;
  },
};

/** The library says of a line only why it is none of its messages, at a length that tells people nothing. */
function problemOf({ name, message }: Error): string {
  return name === "ZodError" ? "a line is not a message of JSON-RPC 2.0" : message;
}

/** Reads need no token; what does is offered only if the token allows it. */
async function scopesOf(
  options: ClientOptions,
  context: CliContext,
): Promise<Result<readonly Scope[], string>> {
  const hasToken = (options.tokenFile ?? context.env[CLIENT_VARIABLES.tokenFile] ?? "") !== "";
  if (!hasToken) return succeed([]);
  let isAway = false;
  const ifAway = (problem: string): void => {
    isAway = !context.signal.aborted;
    // Whatever the token does not allow, the daemon refuses once it is back.
    if (isAway)
      context.complain(
        `all tools are offered, as it is not known what the token allows: ${problem}`,
      );
  };
  const call = { path: "/api/v1/token", showsToken: true, ifAway };
  const held = await callDaemon(call, options, context);
  if (isAway) return succeed(SCOPES);
  if (!held.ok) return held;
  const { scopes }: { scopes?: unknown } = Object(held.value);
  return succeed(SCOPES.filter((scope) => Array.isArray(scopes) && scopes.includes(scope)));
}
