import { createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";
import type { RouteText } from "../../schema/route.ts";
import type { YamlPath } from "../yaml/yaml-source.ts";
import { PEM_KEY, readSecret, reportMissing, secretKey } from "./resolve-credential.ts";
import type { Resolving } from "./resolving.ts";
import type { Secret } from "./secret.ts";

/** The identity that a server must prove, and our own. All of it is PEM. */
export type Tls = {
  /** The CAs that are trusted, instead of the public ones. */
  readonly ca?: string;
  readonly client?: {
    readonly cert: string;
    readonly key: Secret;
    readonly passphrase?: Secret;
  };
};

type TlsText = RouteText["tls"];

/** Undefined if nothing is set. What is wrong with a file is reported at the key that names it. */
export function resolveTls(work: Resolving, text: TlsText, path: YamlPath): Tls | undefined {
  if (Object.values(text).every((value) => value === undefined)) return undefined;
  const ca = readCertificates(work, text.ca_file, path, "ca");
  const client = resolveClient(work, text, path);
  return {
    ...(ca === undefined ? {} : { ca: ca.pem }),
    ...(client === undefined ? {} : { client }),
  };
}

function resolveClient(work: Resolving, text: TlsText, path: YamlPath): Tls["client"] {
  const isSet = (what: "key" | "key_passphrase"): boolean =>
    text[`${what}_file`] !== undefined || text[`${what}_env`] !== undefined;
  if (text.cert_file === undefined) {
    for (const key of ["key", "key_passphrase"] as const)
      if (isSet(key)) reportMissing(work, path, "cert_file", key.replace("_", "'s "));
    return undefined;
  }
  const certificate = readCertificates(work, text.cert_file, path, "cert");
  const key = readSecret(work, text, path, "key", PEM_KEY);
  const passphrase = isSet("key_passphrase")
    ? readSecret(work, text, path, "key_passphrase")
    : undefined;
  if (key === undefined) return undefined;
  const opened = openKey(work, text, path, key, passphrase);
  const own = certificate?.all[0];
  if (opened === undefined || own === undefined || certificate === undefined) return undefined;
  if (!own.checkPrivateKey(opened)) {
    work.report({
      id: "config/contradiction",
      path: [...path, secretKey(text, "key")],
      message: `the private key is not that of the certificate in ${text.cert_file}`,
      hint: "the certificate of the key comes first in cert_file, those of its issuers after it",
    });
    return undefined;
  }
  return { cert: certificate.pem, key, ...(passphrase === undefined ? {} : { passphrase }) };
}

/** Takes the passphrase off a key. Errors of the library are not shown: they say nothing to people. */
function openKey(
  work: Resolving,
  text: TlsText,
  path: YamlPath,
  key: Secret,
  passphrase: Secret | undefined,
): KeyObject | undefined {
  const refuse = (what: string, message: string, hint?: string): undefined => {
    work.report({ id: "config/secret", path: [...path, secretKey(text, what)], message, hint });
  };
  const pem = key.reveal();
  const isEncrypted = /ENCRYPTED/.test(pem);
  if (isEncrypted && passphrase === undefined)
    return refuse(
      "key",
      "the private key is encrypted",
      "set key_passphrase_file or key_passphrase_env",
    );
  try {
    const secret = passphrase?.reveal();
    return createPrivateKey({ key: pem, ...(secret === undefined ? {} : { passphrase: secret }) });
  } catch {
    return isEncrypted
      ? refuse("key_passphrase", "the passphrase does not open the private key")
      : refuse("key", "what it holds is not a private key in PEM format");
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

type Certificates = {
  /** The PEM blocks, without the texts that some tools write between them. */
  readonly pem: string;
  readonly all: readonly X509Certificate[];
};

function readCertificates(
  work: Resolving,
  file: string | undefined,
  path: YamlPath,
  what: "ca" | "cert",
): Certificates | undefined {
  if (file === undefined) return undefined;
  const refuse = (message: string): undefined => {
    work.report({ id: "config/bad-certificate", path: [...path, `${what}_file`], message });
  };
  const read = work.readText(file);
  if (!read.ok) return refuse(`the certificate file ${file} cannot be read: ${read.problem}`);
  const blocks = read.value.match(CERTIFICATE) ?? [];
  if (blocks.length === 0) return refuse(`${file} holds no certificate in PEM format`);
  const all: X509Certificate[] = [];
  for (const [index, block] of blocks.entries()) {
    try {
      all.push(new X509Certificate(block));
    } catch {
      return refuse(`certificate ${index + 1} of ${blocks.length} in ${file} cannot be read`);
    }
  }
  const pem = blocks.join("\n");
  work.noteFile([...path, what], pem);
  return { pem, all };
}
