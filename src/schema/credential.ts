import { z } from "zod";
import { field, oneOf, path, text } from "./fields.ts";

const TYPE_MEANS =
  "How aggwatch authenticates: `none`, `bearer`, `basic` or `header`; to a server of emails, `none` or `basic`.";

const basicKeys = {
  username: text("`basic`: the user name.").optional(),
  password_file: path("`basic`: a file that holds the password.").optional(),
  password_env: text("`basic`: an environment variable that holds the password.").optional(),
};

/** How a request authenticates. The secret itself is in a file or a variable, never here. */
export const credential = z.strictObject({
  type: oneOf(["none", "bearer", "basic", "header"], TYPE_MEANS).prefault("none"),
  name: field(
    z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, { error: "is not a header name" }),
    "text",
    "`header`: the header's name, such as X-API-KEY.",
  ).optional(),
  value_file: path("`bearer`, `header`: a file that holds the value.").optional(),
  value_env: text("`bearer`, `header`: an environment variable that holds the value.").optional(),
  ...basicKeys,
});

/** The credential of an SMTP server, which knows only user names and passwords. */
export const login = z.strictObject({
  type: oneOf(["none", "basic"], TYPE_MEANS).prefault("none"),
  ...basicKeys,
});

export type CredentialText = z.output<typeof credential>;

/** The two keys of a secret, of which one is set: the file or the variable that holds it. */
export function secretKeys<const Name extends string>(
  name: Name,
  what: string,
  marked: (key: z.ZodString) => z.ZodString = (key) => key,
) {
  return {
    [`${name}_file`]: marked(path(`A file that holds ${what}, which is a secret.`)).optional(),
    [`${name}_env`]: marked(text(`An environment variable that holds ${what}.`)).optional(),
  } as Record<`${Name}_file` | `${Name}_env`, z.ZodOptional<z.ZodString>>;
}
