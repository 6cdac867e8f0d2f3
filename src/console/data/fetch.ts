/** The console's only way to the daemon: addresses are relative, so that it works behind a proxy under any path. */

export type Answer<Json> =
  /** `at`: when it was given, by the daemon's clock, to a second. */
  | { readonly ok: true; readonly value: Json; readonly at: number | undefined }
  | {
      readonly ok: false;
      readonly status: number | undefined;
      readonly problem: string;
      /** Too many people look at the past at once: the daemon asks to try again in a moment. */
      readonly isBusy?: boolean;
    };

const LONGEST_MS = 15_000;
const BUSY_MS = 2_000;
/** How long until a request without an answer is repeated. */
export const RETRY_MS = 3_000;

/** Whether a repetition may help: there was no answer, or one that is not about the request. */
export function isPassing(answer: Answer<unknown>): boolean {
  return !answer.ok && (answer.status === undefined || answer.status >= 500);
}

/**
 * Reads an answer of the API; the browser asks again each time, and needs no body for what is unchanged. With a signal,
 * a daemon that is busy is asked until it answers.
 */
export async function read<Json>(path: string, signal?: AbortSignal): Promise<Answer<Json>> {
  const answer = await ask<Json>(path, { cache: "no-cache" }, signal);
  if (answer.ok || answer.isBusy !== true || signal === undefined) return answer;
  await new Promise<void>((resolve) => {
    setTimeout(resolve, BUSY_MS);
  });
  return signal.aborted ? answer : await read(path, signal);
}

/** Reads a text in Markdown; a page of a proxy, such as one to log in, is none. */
export async function readText(path: string, signal?: AbortSignal): Promise<Answer<string>> {
  const headers = { accept: "text/markdown" };
  return await ask(path, { headers }, signal, (text, reply) =>
    /markdown/.test(reply.headers.get("content-type") ?? "") ? text : parsed(text),
  );
}

/** Carries out a call that writes, once. The token goes as a header of this one request. */
export async function write<Json>(
  method: string,
  path: string,
  token: string,
  body?: unknown,
): Promise<Answer<Json>> {
  const headers: Record<string, string> = { authorization: `Bearer ${token}` };
  if (body !== undefined) headers["content-type"] = "application/json";
  const text = body === undefined ? null : JSON.stringify(body);
  return await ask<Json>(path, { method, headers, body: text, cache: "no-store" });
}

async function ask<Json>(
  path: string,
  init: RequestInit,
  signal?: AbortSignal,
  valueOf: (text: string, reply: Response) => unknown = parsed,
): Promise<Answer<Json>> {
  const limit = AbortSignal.timeout(LONGEST_MS);
  try {
    const reply = await fetch(`./${path}`, {
      ...init,
      // Cookies and passwords are for a proxy in front; aggwatch itself uses none.
      credentials: "same-origin",
      redirect: "error",
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
    const value = valueOf(await reply.text(), reply) as Json | undefined;
    // A proxy says in HTML that it cannot reach aggwatch, or whatever else it has to say.
    if (value === undefined) return notOfAggwatch(reply);
    // An answer that is unchanged comes from the browser's memory; but this header is new.
    const at = Date.parse(reply.headers.get("date") ?? "");
    if (reply.ok) return { ok: true, value, at: Number.isNaN(at) ? undefined : at };
    const isBusy = reply.status === 503 && reply.headers.has("retry-after");
    return { ok: false, status: reply.status, problem: problemOf(value), isBusy };
  } catch (error) {
    return { ok: false, status: undefined, problem: whyNone(error) };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** It is not known if the request was carried out. */
function notOfAggwatch({ status }: Response): Extract<Answer<never>, { ok: false }> {
  const problem = `something between here and aggwatch answered with status ${status}`;
  return { ok: false, status: undefined, problem };
}

/** Said if there is no reply at all, as a browser only says that the request failed. */
export const UNREACHABLE = "aggwatch cannot be reached";

/** Why there is no answer, for people: each browser has words of its own for it. */
function whyNone(error: unknown): string {
  const name = error instanceof Error ? error.name : "";
  if (name === "TimeoutError") return `aggwatch did not answer within ${LONGEST_MS / 1_000} s`;
  return UNREACHABLE;
}

/** The text of a refusal; every problem of a body or a query is named. */
function problemOf(body: unknown): string {
  const { error, problems } = (body ?? {}) as { error?: string; problems?: string | string[] };
  const all = typeof problems === "string" ? [problems] : (problems ?? []);
  return [...(error === undefined ? [] : [error]), ...all].join("; ");
}
