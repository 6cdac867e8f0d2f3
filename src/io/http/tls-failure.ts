/** Why TLS cannot be set up, with the setting to change. */
export type TlsFailure = {
  readonly message: string;
  /** Surely no byte of the request reached the server. */
  readonly neverSent: boolean;
};

const UNKNOWN_CA =
  /^(UNABLE_TO_(?:GET_ISSUER|VERIFY)|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_|CERT_UNTRUSTED)/;
const NOT_TRUSTED = /^(CERT_|ERR_TLS_CERT|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH)/;

/** How a server refuses our certificate, in codes (with `_` as blanks) and in messages. */
const ASKS_FOR_OURS =
  /alert (?:handshake failure|(?:bad |unsupported )?certificate|unknown ca|no certificate|access denied|decrypt error)/i;
const NOT_TLS = /wrong version number|packet length too long|record layer failure|http request/i;

export type TlsNames = {
  /** The names of the settings of the CAs that we trust, and of our own certificate. */
  readonly ca: string;
  readonly cert: string;
  /** What to ask if the server speaks no TLS. */
  readonly ifNoTls?: string;
};

const OF_HTTP: TlsNames = { ca: "tls.ca_file", cert: "tls.cert_file" };

/** Undefined if the error is not about TLS. The message has the code, because people search for it. */
export function tlsFailure(
  code: string,
  causes: readonly Error[],
  { ca, cert, ifNoTls = "is it an http URL?" }: TlsNames = OF_HTTP,
): TlsFailure | undefined {
  if (UNKNOWN_CA.test(code))
    return untrusted(code, `the CA that signed the server's certificate is not known; ${ca}`);
  if (code === "CERT_HAS_EXPIRED")
    return untrusted(code, `the server's certificate, or a CA in ${ca}, has expired`);
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return untrusted(code, `the URL names another host than the certificate${namesIn(causes)}`);
  if (NOT_TRUSTED.test(code)) return untrusted(code, `the server's certificate, or those in ${ca}`);
  const said = causes.map(({ message }) => message).join(" ");
  const spoken = `${code.replaceAll("_", " ")} ${said}`;
  if (ASKS_FOR_OURS.test(spoken))
    return {
      message: `the server refuses TLS with us (${code}): it wants a certificate, or another; ${cert}`,
      // In TLS 1.3 the refusal comes after the client counts as connected.
      neverSent: false,
    };
  if (NOT_TLS.test(spoken))
    return {
      message: `what answers does not speak TLS (${code}): ${ifNoTls}`,
      neverSent: true,
    };
  return undefined;
}

function untrusted(code: string, why: string): TlsFailure {
  return { message: `TLS is not trusted (${code}): ${why}`, neverSent: true };
}

/** The names in the certificate, if the error holds it. */
function namesIn(causes: readonly Error[]): string {
  for (const cause of causes) {
    if (!("cert" in cause) || typeof cause.cert !== "object" || cause.cert === null) continue;
    const names: unknown = "subjectaltname" in cause.cert ? cause.cert.subjectaltname : undefined;
    if (typeof names === "string")
      return `, which is for ${names.replace(/[^\x20-\x7e]+/g, " ").slice(0, 100)}`;
  }
  return "";
}
