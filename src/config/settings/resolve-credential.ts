import { basename } from "node:path";
import type { CredentialText } from "../../schema/credential.ts";
import { isMisspelt } from "../yaml/known-problems.ts";
import { warnIfWritable, type Resolving } from "./resolving.ts";
import { secret, type Secret } from "./secret.ts";
import type { YamlPath } from "../yaml/yaml-source.ts";

/** How a request authenticates. */
export type Credential =
  | { readonly type: "none" }
  | { readonly type: "bearer"; readonly token: Secret }
  | { readonly type: "basic"; readonly username: string; readonly password: Secret }
  | { readonly type: "header"; readonly name: string; readonly value: Secret };

type CredentialKey = Exclude<keyof CredentialText, "type">;

const KEYS: Readonly<Record<CredentialText["type"], readonly CredentialKey[]>> = {
  none: [],
  bearer: ["value_file", "value_env"],
  basic: ["username", "password_file", "password_env"],
  header: ["name", "value_file", "value_env"],
};

const ALL_KEYS: readonly CredentialKey[] = [...new Set(Object.values(KEYS).flat())];

/** Reads the secret of a credential. Every problem is reported; the credential is `none` if there is one. */
export function resolveCredential(
  work: Resolving,
  text: CredentialText,
  path: YamlPath,
): Credential {
  const { type } = text;
  // Only a valid type says which keys must be there.
  if (isMisspelt(work, [...path, "type"])) return { type: "none" };
  for (const key of ALL_KEYS)
    if (text[key] !== undefined && !KEYS[type].includes(key))
      work.report({
        id: "config/unused-key",
        path: [...path, key],
        at: "key",
        message: `"${key}" has no meaning if type is ${type}`,
        hint:
          type === "none" ? "set type: bearer, basic or header" : `keys: ${KEYS[type].join(", ")}`,
      });
  if (type === "none") return { type };
  if (type === "basic") {
    const password = readSecret(work, text, path, "password");
    if (text.username === undefined) reportMissing(work, path, "username");
    if (password === undefined || text.username === undefined) return { type: "none" };
    return { type, username: text.username, password };
  }
  const value = readSecret(work, text, path, "value");
  if (type === "header" && text.name === undefined) reportMissing(work, path, "name");
  if (value === undefined) return { type: "none" };
  if (type === "bearer") return { type, token: value };
  return text.name === undefined ? { type: "none" } : { type, name: text.name, value };
}

/** Reports a required key that is missing (`beside` may name what requires it), unless it is merely misspelt. */
export function reportMissing(work: Resolving, path: YamlPath, key: string, beside?: string): void {
  const whole = [...path, key];
  if (isMisspelt(work, whole)) return;
  const why = beside === undefined ? "" : ` beside the ${beside}`;
  work.report({
    id: "config/missing",
    path: whole,
    at: "key",
    message: `"${key}" is missing${why}`,
  });
}

type SecretText = {
  readonly [Key in `${string}_file` | `${string}_env`]?: string | undefined;
};

/** Which of a secret's two keys is set. */
export function secretKey(text: SecretText, what: string): string {
  return text[`${what}_env`] === undefined ? `${what}_file` : `${what}_env`;
}

/** What a secret must look like after trimming, and how the problem is worded if it does not. */
export type SecretForm = {
  readonly pattern: RegExp;
  readonly otherwise: string;
  /** Which parts of it are secret; by default all of it. */
  readonly secretPart?: (text: string) => string;
};

/** Files end with a line break; anything else that a header cannot carry is a mistake. */
const HEADER_TEXT: SecretForm = {
  pattern: /^[\x20-\x7e]+$/,
  otherwise: "holds more than one line, or characters that a header cannot carry",
};

export const PEM_KEY: SecretForm = {
  pattern: /^-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\x20-\x7e]+$/,
  otherwise: "holds no private key in PEM format",
  // The first and last line are the same in every key, and messages may say "private key".
  secretPart: (text) => text.replaceAll(/^-----.*$/gm, "").trim(),
};

/** What else is written there may be the secret itself, and so is not shown. */
const VARIABLE_NAME = /^[A-Za-z_]\w*$/;

const LONGEST_NAME = 100;

/** Whether a path that cannot be read may be the secret itself: a URL, a key, or a token. */
function mayBeSecret(path: string): boolean {
  return /:\/|\n|-----BEGIN/.test(path) || basename(path).length > LONGEST_NAME;
}

/** Reads a secret from the file or the variable that is named; undefined if that is a problem. */
export function readSecret(
  work: Resolving,
  text: SecretText,
  path: YamlPath,
  what: string,
  form: SecretForm = HEADER_TEXT,
): Secret | undefined {
  const fileKey = `${what}_file` as const;
  const envKey = `${what}_env` as const;
  const file = text[fileKey];
  const variable = text[envKey];
  const refuse = (key: string, message: string): undefined => {
    work.report({ id: "config/secret", path: [...path, key], message });
  };
  const accept = (value: string, otherwise: (message: string) => undefined): Secret | undefined => {
    const trimmed = value.trim();
    if (!form.pattern.test(trimmed)) return otherwise(form.otherwise);
    const accepted = secret(trimmed);
    work.noteSecret([...path, what], secret(form.secretPart?.(trimmed) ?? trimmed));
    return accepted;
  };
  if (file !== undefined && variable !== undefined)
    return refuse(envKey, `set one of ${fileKey} and ${envKey}, not both`);
  if (file === undefined && variable === undefined) {
    if ([fileKey, envKey].some((key) => isMisspelt(work, [...path, key]))) return undefined;
    return refuse(fileKey, `a secret is missing: set ${fileKey} or ${envKey}`);
  }
  if (variable !== undefined) {
    if (!VARIABLE_NAME.test(variable))
      return refuse(envKey, `${envKey} names an environment variable, and this is no name of one`);
    const value = work.env[variable];
    if (value === undefined || value.trim() === "")
      return refuse(envKey, `the environment variable ${variable} is not set, or is empty`);
    return accept(value, (message) => refuse(envKey, `the variable ${variable} ${message}`));
  }
  const name = file ?? "";
  const read = work.readText(name);
  if (!read.ok && mayBeSecret(name))
    return refuse(fileKey, `${fileKey} names a file, and this is no name of one`);
  if (!read.ok) return refuse(fileKey, `the secret file ${name} cannot be read: ${read.problem}`);
  warnIfWritable(work, [...path, fileKey], "secret file", name);
  if (read.value.trim() === "") return refuse(fileKey, `the secret file ${name} is empty`);
  return accept(read.value, (message) => refuse(fileKey, `the secret file ${name} ${message}`));
}
