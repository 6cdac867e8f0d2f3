import { field, soundText, type Refusal } from "./fields.ts";

/** Why a text is not a URL that requests can go to; empty if it is one. */
export function urlProblem(text: string): Refusal {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    return ["is not an http or https URL", "for example http://127.0.0.1:9093"];
  return holdsUser(url)
    ? ["holds a user name or password", "use auth, with a file or a variable"]
    : [];
}

export function holdsUser({ username, password }: URL): boolean {
  return username !== "" || password !== "";
}

/** An http or https URL, without a user name and password. */
export const httpUrl = (means: string) => field(soundText(urlProblem), "text", means);
