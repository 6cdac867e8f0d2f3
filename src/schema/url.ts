import { z } from "zod";
import { field, refuse } from "./fields.ts";

type UrlProblem = { readonly message: string; readonly hint: string };

/** Why a text is not a URL that requests can go to; undefined if it is one. */
export function urlProblem(text: string): UrlProblem | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    return { message: "is not an http or https URL", hint: "for example http://127.0.0.1:9093" };
  if (url.username !== "" || url.password !== "")
    return {
      message: "holds a user name or password",
      hint: "use auth, with a file or a variable",
    };
  return undefined;
}

/** An http or https URL, without a user name and password. */
export const httpUrl = (means: string) =>
  field(
    z.string().superRefine((value, context) => {
      const problem = urlProblem(value);
      if (problem !== undefined) refuse(context, problem.message, problem.hint);
    }),
    "text",
    means,
  );
