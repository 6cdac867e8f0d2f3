import http from "node:http";
import type { Socket } from "node:net";
import type { OpenProxy } from "./route.ts";
import { errorCode } from "./error-code.ts";
import { hostInUrl } from "./listen.ts";
import { withinTime, type ConnectLimits } from "./within-time.ts";

export type TunnelTarget = { readonly host: string; readonly port: number };

/**
 * Asks an HTTP proxy for a tunnel (`CONNECT`). The proxy sees the host, the port and its own credential; only TLS hides
 * the rest. Rejects with a `SendError` that names the setting.
 */
export function openTunnel(
  proxy: OpenProxy,
  { host, port }: TunnelTarget,
  { connectMs, signal }: ConnectLimits,
): Promise<Socket> {
  const authority = `${hostInUrl(host)}:${port}`;
  const { authorization } = proxy;
  const headers = {
    host: authority,
    ...(authorization === undefined ? {} : { "proxy-authorization": authorization }),
  };
  const { host: proxyHost, port: proxyPort } = proxy;
  const to = { host: proxyHost, port: proxyPort, path: authority };
  return withinTime<Socket>(
    { connectMs, signal, late: "the proxy does not answer in time; proxy.url" },
    (resolve, refuse) => {
      const request = http.request({ ...to, method: "CONNECT", headers, agent: false });
      request.once("connect", (response, socket, rest) => {
        const { statusCode: status = 0 } = response;
        // The server does not speak first, so bytes after the proxy's answer can only be the proxy's own.
        if (status >= 200 && status < 300 && rest.length === 0) return resolve(socket);
        socket.destroy();
        refuse(refusal(status, authorization !== undefined));
      });
      request.on("error", (error: Error) => refuse(brokenBy(error)));
      request.end();
      return () => request.destroy();
    },
  );
}

function brokenBy(error: Error): string {
  const code = errorCode([error]);
  return code.startsWith("HPE_")
    ? `what answers is not an HTTP proxy (${code}); proxy.url`
    : `cannot connect to the proxy (${code}); proxy.url`;
}

/** Never repeats the proxy's own text. */
function refusal(status: number, hasCredential: boolean): string {
  const answered = `the proxy refuses (status ${status})`;
  if (status === 407)
    return hasCredential
      ? `${answered}: it takes another user name or password; proxy.username, proxy.password_file`
      : `${answered}: it asks for a user name and a password; proxy.username, proxy.password_file`;
  if (status >= 500) return `${answered}: it cannot reach the server; the URL, or proxy.url`;
  return status >= 200 && status < 300
    ? "the proxy sends more than its answer; proxy.url"
    : `${answered}: it does not let us through to the server; proxy.url`;
}
