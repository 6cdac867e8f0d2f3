/** A word, a number, or a version in a path: not a secret. */
const WORD = /^(?:[a-z]+|\d+|.{1,3})$/i;

/** The first or the last line of a key in PEM. */
const FRAME = /^-----.*-----$/;

/**
 * The texts of a secret to hide: each of its lines; the lines of a key in PEM without its frame; of a URL the user, the
 * password, and everything after the host from the first to the last part that is not a mere word (such as `services`),
 * or all of it if there is no such part. The host is not secret. Of a database's URL only the password is: names of
 * exchanges and pools hold words such as its host's.
 */
export function hiddenTexts(secret: string): readonly string[] {
  if (secret.includes("\n"))
    return secret.split(/\s*\n\s*/).filter((line) => line !== "" && !FRAME.test(line));
  const url = /^https?:/i.test(secret) ? URL.parse(secret) : null;
  const database = /^postgres(?:ql)?:/i.test(secret) ? URL.parse(secret) : null;
  if (database !== null) return passwordsOf(database);
  if (url === null) return secret === "" ? [] : [secret];
  const { pathname, search, hash, username, password } = url;
  return [username, password, tellingPartOf(`${pathname}${search}${hash}`)].filter(
    (text) => text !== "" && text !== "/",
  );
}

function passwordsOf({ password, searchParams }: URL): readonly string[] {
  return [decoded(password), ...searchParams.getAll("password")].filter((text) => text !== "");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function tellingPartOf(path: string): string {
  const telling = [...path.matchAll(/[^/?&=#]+/g)].filter(([part]) => !WORD.test(part));
  const [first, last] = [telling[0], telling.at(-1)];
  if (first === undefined || last === undefined) return path;
  return path.slice(first.index, last.index + last[0].length);
}
