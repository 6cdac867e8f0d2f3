import { Buffer } from "node:buffer";
import type { Credential } from "../../config/settings/resolve-credential.ts";
import type { Secret } from "../../config/settings/secret.ts";
import type { Result } from "../../domain/result.ts";
import { fail, succeed } from "../../domain/result.ts";

/** A credential of the settings with its secret in the clear, for a sender. */
export type OpenCredential = Opened<Credential>;

type Opened<One> = One extends unknown
  ? { readonly [Key in keyof One]: One[Key] extends Secret ? string : One[Key] }
  : never;

export function openCredential(credential: Credential): OpenCredential {
  const opened = Object.entries(credential).map(([key, value]: [string, string | Secret]) => [
    key,
    typeof value === "string" ? value : value.reveal(),
  ]);
  return Object.fromEntries(opened) as OpenCredential;
}

/** The headers of a request that carry a credential. */
export type CredentialHeaders = {
  readonly headers: Readonly<Record<string, string>>;
  /** Texts that must never be shown. */
  readonly secrets: readonly string[];
};

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const HEADER_VALUE = /^[\x20-\x7e]+$/;
const FRAMING =
  /^(host|connection|content-length|transfer-encoding|upgrade|te|expect|.*(?:method|override|forwarded|url|uri(?!ty)|path|rewrite).*)$/i;

/** The problem never repeats a value. */
export function credentialHeaders(credential: OpenCredential): Result<CredentialHeaders, string> {
  if (credential.type === "none") return succeed({ headers: {}, secrets: [] });
  if (credential.type === "bearer")
    return header("authorization", `Bearer ${credential.token}`, [credential.token]);
  if (credential.type === "header")
    return header(credential.name.toLowerCase(), credential.value, [credential.value]);
  if (credential.username.includes(":")) return fail("the user name must not hold a colon");
  const encoded = encodeBasic(credential);
  return header("authorization", `Basic ${encoded}`, [encoded, credential.password]);
}

/** The credential of Basic authentication (RFC 7617). */
export function encodeBasic({ username, password }: Record<"username" | "password", string>) {
  return Buffer.from(`${username}:${password}`, "utf8").toString("base64");
}

function header(
  name: string,
  value: string,
  secrets: readonly string[],
): Result<CredentialHeaders, string> {
  if (!HEADER_NAME.test(name) || FRAMING.test(name))
    return fail(`"${name.slice(0, 40)}" is not a header for credentials`);
  if (secrets.includes("") || !HEADER_VALUE.test(value))
    return fail(
      "the value is empty, or holds a line break or another character that cannot be sent",
    );
  return succeed({ headers: { [name]: value }, secrets });
}
