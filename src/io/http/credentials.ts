import { Buffer } from "node:buffer";
import type { Result } from "../../domain/result.ts";
import { fail, succeed } from "../../domain/result.ts";

/** How a purpose (reading, acting) proves itself. The values come from files or the environment. */
export type Auth =
  | { readonly type: "none" }
  | { readonly type: "bearer"; readonly token: string }
  | { readonly type: "basic"; readonly username: string; readonly password: string }
  | { readonly type: "header"; readonly name: string; readonly value: string };

export type Credential = {
  readonly headers: Readonly<Record<string, string>>;
  /** Texts that must never be shown. */
  readonly secrets: readonly string[];
};

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const HEADER_VALUE = /^[\x20-\x7e]+$/;
const FRAMING =
  /^(host|connection|content-length|transfer-encoding|upgrade|te|expect|.*(?:method|override|forwarded|url|uri|path|rewrite).*)$/i;

/** Makes the headers of an auth setting. The problem never repeats a value. */
export function credentialOf(auth: Auth): Result<Credential, string> {
  if (auth.type === "none") return succeed({ headers: {}, secrets: [] });
  if (auth.type === "bearer") return header("authorization", `Bearer ${auth.token}`, [auth.token]);
  if (auth.type === "header") return header(auth.name.toLowerCase(), auth.value, [auth.value]);
  if (auth.username.includes(":")) return fail("the user name must not hold a colon");
  const encoded = Buffer.from(`${auth.username}:${auth.password}`, "utf8").toString("base64");
  return header("authorization", `Basic ${encoded}`, [encoded, auth.password]);
}

function header(
  name: string,
  value: string,
  secrets: readonly string[],
): Result<Credential, string> {
  if (!HEADER_NAME.test(name) || FRAMING.test(name))
    return fail(`"${name.slice(0, 40)}" is not a header for credentials`);
  if (secrets.includes("") || !HEADER_VALUE.test(value))
    return fail(
      "the value is empty, or holds a line break or another character that cannot be sent",
    );
  return succeed({ headers: { [name]: value }, secrets });
}
