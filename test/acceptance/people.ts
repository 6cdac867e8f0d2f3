import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runCli, type Home } from "./daemon.ts";
import type { Finishing } from "./events.ts";

/** A tokens file that the config names, and each person's token in a file of its own. */
export function withPeople(home: Home, config: string): (person: string) => string {
  const directory = dirname(home.config);
  const lines = ["alice", "bob"].map((person) => {
    writeFileSync(join(directory, `${person}.token`), `${person}-token\n`);
    const sha256 = createHash("sha256").update(`${person}-token`).digest("hex");
    return `- { name: ${person}, token_sha256: "${sha256}", scopes: [operate, approve] }\n`;
  });
  writeFileSync(join(directory, "tokens.yaml"), lines.join(""));
  writeFileSync(home.config, `${config}\nserver: { tokens_file: tokens.yaml }\n`);
  return (person) => join(directory, `${person}.token`);
}

/** The command line of a person, against a daemon. */
export function cliOf(context: Finishing, url: string, tokenFile: (person: string) => string) {
  return (person: string, ...args: readonly string[]) =>
    runCli(context, args, { AGGWATCH_URL: url, AGGWATCH_TOKEN_FILE: tokenFile(person) });
}

/** What alice asks of a daemon, and its answer. */
export async function askAsAlice(
  { url }: { readonly url: string },
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { authorization: "Bearer alice-token", "content-type": "application/json" };
  const reply = await fetch(url + path, {
    headers,
    ...(body && { method: "POST", body: JSON.stringify(body) }),
  });
  return { status: reply.status, text: await reply.text() };
}
