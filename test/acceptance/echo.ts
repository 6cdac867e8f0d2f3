import type { ServerResponse } from "node:http";
import type { TestContext } from "vitest";
import { sendJson, startServer, type Seen } from "../io/local-server.ts";
import { createEvents, type Events } from "./events.ts";

/** The secrets of the daemon. None is made of words, and they have all sorts of signs. */
export const READ = "rD8-Kq3_Zt7+Lw2.Xm9Vb4~Ny";
export const ACT = "aC5=Jh6!Pf1:Gs0%Ue8Wd3Ri*";
export const HOOK = "hK9Tz2Bn7Qy4Mx6Lc1";
export const LIST = "lI4.Ov8_Ej3-Ya5+Sk0Tw7Fu";

export const base64 = (text: string): string => Buffer.from(text).toString("base64");
const hex = (text: string): string => Buffer.from(text).toString("hex");
const eachAs = (write: (digits: string) => string) => (text: string) =>
  text.replace(/./g, (sign) => write(hex(sign)));

export const SPELLINGS: ReadonlyArray<(secret: string) => string> = [
  (secret) => secret,
  (secret) => secret.toUpperCase(),
  (secret) => secret.slice(2, 10),
  (secret) => secret.slice(-9),
  (secret) => `you said ${secret.toLowerCase()}, I think`,
  encodeURIComponent,
  eachAs((digits) => `%${digits}`),
  eachAs((digits) => `\\u00${digits}`),
  base64,
  (secret) => base64(`x${secret}`),
  (secret) => Buffer.from(`xy${secret}`).toString("base64url"),
  hex,
];

/** What of a secret would be seen in a text: any eight characters of it, written by hand once more. */
function piecesOf(secret: string): readonly string[] {
  const runs = (text: string, length: number): string[] =>
    Array.from({ length: text.length - length + 1 }, (_, at) => text.slice(at, at + length));
  const inBase64 = ["", "x", "xy"].flatMap((before) => {
    // Characters that hold bits of what is beside the secret differ from text to text.
    const inner = base64(before + secret).slice(before === "" ? 0 : 4, -4);
    return runs(inner.replaceAll("+", "-").replaceAll("/", "_"), 8);
  });
  return [...runs(secret, 8), ...inBase64, ...runs(hex(secret), 16)].map((one) =>
    one.toLowerCase(),
  );
}

const PIECES = new RegExp(
  [...new Set([READ, ACT, HOOK, LIST].flatMap(piecesOf))]
    .map((one) => one.replace(/\W/g, "\\$&"))
    .join("|"),
);

/** The pieces of secrets that somebody could read in a text, or the first of them. */
export function leaksIn(text: string): readonly string[] {
  const code = (_: string, digits: string) => String.fromCharCode(Number.parseInt(digits, 16));
  const plain = text.replaceAll("\\\\", "\\").replace(/\\u([0-9a-f]{4})/gi, code);
  const readings = new Set([text, plain, plain.replace(/%([0-9a-f]{2})/gi, code)]);
  return [...readings].flatMap((one) => {
    const lower = one.toLowerCase();
    const forUrls = lower.replaceAll("+", "-").replaceAll("/", "_");
    return [lower, forUrls].flatMap((reading) => PIECES.exec(reading)?.[0] ?? []);
  });
}

/** One watched thing for each spelling of each of the two keys. */
export const COUNT = 2 * SPELLINGS.length;
export const idOf = (index: number): string => `0x${String(index).padStart(40, "0")}`;
export const ALL = Array.from({ length: COUNT }, (_, index) => index);

/** Repeats its own requests' keys in every place, once it has got the one that acts. */
export async function startEcho(
  context: TestContext,
): Promise<{ url: string; requests: Events<Seen> }> {
  const requests = createEvents<Seen>(context, "request to the aggregator");
  let keys = { read: "", act: "" };
  const spelled = (index: number): string => {
    const key = index % 2 === 0 ? keys.read : keys.act;
    return SPELLINGS[index >> 1]?.(key) ?? "";
  };
  const server = await startServer((seen, response) => {
    const read = /^Bearer (.*)$/.exec(seen.headers.authorization ?? "")?.[1];
    const act = seen.headers["x-api-key"];
    keys = { read: read ?? keys.read, act: typeof act === "string" ? act : keys.act };
    answer(seen, response, keys.act !== "", spelled);
    requests.add(seen);
  });
  context.onTestFinished(server.close);
  return { url: server.baseUrl, requests };
}

function answer(
  { method, url, headers }: Seen,
  response: ServerResponse,
  hasBoth: boolean,
  spelled: (index: number) => string,
): void {
  const index = Number(/0x0*(\d+)|F(\d+)\//.exec(url)?.slice(1).find(Boolean) ?? 0);
  const echo = spelled(index);
  const header = echo.replace(/[^\x20-\x7e]/g, "");
  response.setHeader("etag", `"${header.replaceAll('"', "")}"`);
  response.setHeader("x-echo", header);
  if (method === "POST") {
    const reason = `no: ${JSON.stringify(headers)}`;
    response.writeHead(403, header);
    response.end(JSON.stringify({ error: { code: 1, reason } }));
  } else if (url.includes("/exchange/list")) {
    const names = hasBoth ? ALL.map(spelled) : [];
    sendJson(response, ["OKX", ...names]);
  } else if (url.includes("/exchange/disabled")) {
    const pairs = ALL.map((one) => ({ exchange: spelled(one), assetPair: spelled(one) }));
    sendJson(response, { exchanges: ["BINANCE"], pairs: hasBoth ? pairs : [] });
  } else if (url.includes("/liquidation")) {
    if (index % 3 === 0) sendJson(response, { order: { id: idOf(index), status: echo } });
    else if (index % 3 === 1) sendJson(response, { error: { code: 1, reason: echo } }, 500);
    else sendJson(response, { order: { id: idOf(index), status: { [echo]: echo } } });
  } else if (url.includes("/pools/")) {
    if (index % 3 === 0) response.end(`<html>${echo}</html>`);
    else if (index % 3 === 1) {
      response.writeHead(302, { location: `http://127.0.0.1:9/${header}/x?${header}` });
      response.end();
    } else sendJson(response, { a: echo, p: 1, [echo]: 1 });
  } else {
    const lockOrder = { secretHash: echo, asset: echo, sourceNetworkCode: echo };
    sendJson(response, [{ sender: idOf(index), status: "ACTIVE", lockOrder }]);
  }
}
