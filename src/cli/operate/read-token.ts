import { CLIENT_VARIABLES } from "../../config/variables.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { readTextFile } from "../../io/process/files.ts";
import { tokenTooLong } from "../../schema/token-length.ts";
import { variable, type CliContext } from "../context.ts";

/** The token of an operator, from the file that the command line or the environment names. */
export function readToken(
  options: { readonly tokenFile?: string },
  env: CliContext["env"],
): Result<string, string> {
  const file = options.tokenFile ?? variable({ env }, CLIENT_VARIABLES.tokenFile);
  if (file === undefined) {
    return fail(
      `a token is needed: name the file that it is in by --token-file or ${CLIENT_VARIABLES.tokenFile} (docs/operations.md says how to make one)`,
    );
  }
  const read = readTextFile(file);
  if (!read.ok) return fail(`the token file ${file}: ${read.problem}`);
  const token = read.value.trim();
  if (!/^[\x21-\x7e]+$/.test(token))
    return fail(`the token file ${file} must hold one token, and nothing else`);
  const tooLong = tokenTooLong(token);
  return tooLong === undefined
    ? succeed(token)
    : fail(`the token file ${file}: the token ${tooLong}`);
}
