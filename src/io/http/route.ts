import type { Route } from "../../config/settings/resolve-route.ts";
import { encodeBasic } from "./credentials.ts";

/** The route to a server, with its secrets in the clear: never log it. */
export type OpenRoute = {
  readonly tls?: {
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
    readonly passphrase?: string;
  };
  readonly proxy?: OpenProxy;
};

export type OpenProxy = {
  readonly host: string;
  readonly port: number;
  /** The value of `Proxy-Authorization`. */
  readonly authorization?: string;
};

/** Takes the secrets of a route out of their wrappers, for the connection. */
export function openRoute({ tls, proxy }: Route): OpenRoute {
  return {
    ...(tls === undefined ? {} : { tls: openTls(tls) }),
    ...(proxy === undefined ? {} : { proxy: openProxy(proxy) }),
  };
}

function openTls({ ca, client }: NonNullable<Route["tls"]>): NonNullable<OpenRoute["tls"]> {
  const passphrase = client?.passphrase?.reveal();
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(client === undefined ? {} : { cert: client.cert, key: client.key.reveal() }),
    ...(passphrase === undefined ? {} : { passphrase }),
  };
}

function openProxy({ host, port, credential }: NonNullable<Route["proxy"]>): OpenProxy {
  if (credential === undefined) return { host, port };
  const { username, password } = credential;
  const encoded = encodeBasic({ username, password: password.reveal() });
  return { host, port, authorization: `Basic ${encoded}` };
}
