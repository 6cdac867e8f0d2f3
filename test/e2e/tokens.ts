import { createHash } from "node:crypto";
import { stringify } from "yaml";

/** Of alice, in every world that has one. */
export const TOKEN = "the-token-of-alice";

export type Holder = {
  readonly name: string;
  readonly token: string;
  readonly scopes: readonly string[];
};

/** A file of tokens, as `server.tokens_file` names it. */
export function tokensFile(holders: readonly Holder[]): string {
  return stringify(
    holders.map(({ name, token, scopes }) => ({
      name,
      token_sha256: createHash("sha256").update(token).digest("hex"),
      scopes,
    })),
  );
}
