import { readFileSync } from "node:fs";
import net, { type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import tls from "node:tls";

/** The certificates and keys of test/fixtures/tls; `make.sh` there makes them. */
export const FIXTURES = join(import.meta.dirname, "../fixtures/tls");

export const pem = (name: string): string => readFileSync(join(FIXTURES, `${name}.pem`), "utf8");

/** The passphrase of client-key-encrypted.pem. */
export const PASSPHRASE = "open-sesame";

export type TlsFront = {
  /** https, with the path of what is behind. */
  readonly baseUrl: string;
  readonly port: number;
  /** What clients said once TLS stood, all of it. */
  readonly heard: () => string;
  /** Shows another certificate from the next connection on. */
  readonly show: (certificate: string) => void;
  readonly close: () => Promise<void>;
};

export type TlsFrontOptions = {
  /** The certificate that it shows: `server`, `expired` or `other-name`. */
  readonly certificate?: string;
  /** Demands a certificate of the CA in this fixture. */
  readonly demandsClientOf?: string;
  readonly version?: tls.SecureVersion;
};

/** A real TLS server before a plain HTTP one. */
export async function startTlsFront(
  behind: string,
  { certificate = "server", demandsClientOf, version }: TlsFrontOptions = {},
): Promise<TlsFront> {
  const { port: to, pathname } = new URL(behind);
  const heard: Buffer[] = [];
  const sockets = new Set<Socket>();
  const contextOf = (shown: string): tls.TlsOptions => ({
    key: pem("server-key"),
    cert: pem(shown),
    ...(demandsClientOf === undefined ? {} : { ca: pem(demandsClientOf) }),
    ...(version === undefined ? {} : { minVersion: version, maxVersion: version }),
  });
  const demands = { requestCert: demandsClientOf !== undefined, rejectUnauthorized: true };
  const server = tls.createServer({ ...contextOf(certificate), ...demands }, (client) => {
    const back = net.connect(Number(to), "127.0.0.1");
    for (const socket of [client, back]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        back.destroy();
      });
    }
    client.on("data", (chunk: Buffer) => heard.push(chunk));
    client.pipe(back).pipe(client);
  });
  const port = await listening(server);
  return {
    baseUrl: `https://127.0.0.1:${port}${pathname === "/" ? "" : pathname}`,
    port,
    heard: () => Buffer.concat(heard).toString("latin1"),
    show: (shown) => {
      server.setSecureContext(contextOf(shown));
      for (const socket of sockets) socket.destroy();
    },
    close: () => closing(server, sockets),
  };
}

export async function listening(server: net.Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

export async function closing(server: net.Server, sockets: Iterable<Socket>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const socket of sockets) socket.destroy();
  await closed;
}
