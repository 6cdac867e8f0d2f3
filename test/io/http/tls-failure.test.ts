import { describe, expect, it } from "vitest";
import { tlsFailure } from "../../../src/io/http/tls-failure.ts";

const UNKNOWN_CA = /the CA that signed the server's certificate is not known; tls\.ca_file$/;
const CERTIFICATE = /the server's certificate, or those in tls\.ca_file$/;
const REFUSED = /the server refuses TLS with us .*; tls\.cert_file$/;
const NO_TLS = /does not speak TLS .*: is it an http URL\?$/;

const EXPIRED = /the server's certificate, or a CA in tls\.ca_file, has expired$/;

describe("an error of TLS names the setting to change", () => {
  it.each([
    ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", UNKNOWN_CA],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", UNKNOWN_CA],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", UNKNOWN_CA],
    ["SELF_SIGNED_CERT_IN_CHAIN", UNKNOWN_CA],
    ["CERT_UNTRUSTED", UNKNOWN_CA],
    ["CERT_HAS_EXPIRED", EXPIRED],
    ["CERT_NOT_YET_VALID", CERTIFICATE],
    ["CERT_REVOKED", CERTIFICATE],
    ["ERR_TLS_CERT_ALTNAME_FORMAT", CERTIFICATE],
    ["UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY", CERTIFICATE],
    ["HOSTNAME_MISMATCH", CERTIFICATE],
    ["INVALID_CA", CERTIFICATE],
    ["PATH_LENGTH_EXCEEDED", CERTIFICATE],
    ["ERR_TLS_CERT_ALTNAME_INVALID", /the URL names another host than the certificate$/],
    ["ERR_SSL_WRONG_VERSION_NUMBER", NO_TLS],
    ["ERR_SSL_PACKET_LENGTH_TOO_LONG", NO_TLS],
    ["ERR_SSL_RECORD_LAYER_FAILURE", NO_TLS],
    ["ERR_SSL_HTTP_REQUEST", NO_TLS],
  ])("by the code %s, before anything is sent", (code, message) => {
    const failure = tlsFailure(code, []);
    expect(failure).toEqual({ message: expect.stringMatching(message), neverSent: true });
    expect(failure?.message).toContain(`(${code})`);
  });

  it.each([
    "ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE",
    "ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE",
    "ERR_SSL_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE",
    "ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN",
    "ERR_SSL_SSLV3_ALERT_NO_CERTIFICATE",
    "ERR_SSL_TLSV1_ALERT_UNKNOWN_CA",
    "ERR_SSL_TLSV1_ALERT_ACCESS_DENIED",
    "ERR_SSL_TLSV1_ALERT_DECRYPT_ERROR",
    "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
  ])("by the code %s, after which something may be sent", (code) => {
    expect(tlsFailure(code, [])).toEqual({
      message: expect.stringMatching(REFUSED),
      neverSent: false,
    });
  });

  it("by a message, if the code says nothing", () => {
    const said = (text: string) => tlsFailure("EPROTO", [new Error("outer"), new Error(text)]);
    expect(said("ssl3_get_record:wrong version number")?.message).toMatch(NO_TLS);
    expect(said("ssl3_read_bytes:tlsv1 alert unknown ca")?.message).toMatch(REFUSED);
  });

  it("by other names, for what is not asked by HTTP", () => {
    const names = { ca: "ca_file", cert: "cert_file", ifNoTls: "does it offer any?" };
    expect(tlsFailure("CERT_UNTRUSTED", [], names)?.message).toMatch(/; ca_file$/);
    expect(tlsFailure("ERR_SSL_HTTP_REQUEST", [], names)?.message).toMatch(/does it offer any\?$/);
  });

  it("and the names in the certificate, on one short line", () => {
    const namedBy = (cert: unknown) =>
      tlsFailure("ERR_TLS_CERT_ALTNAME_INVALID", [
        new Error("outer"),
        Object.assign(new Error("inner"), { cert }),
      ])?.message.replace(/.* than the certificate/, "");
    expect(namedBy({ subjectaltname: "DNS:a.example\n\u001b[2J, DNS:b" })).toBe(
      ", which is for DNS:a.example [2J, DNS:b",
    );
    expect(namedBy({ subjectaltname: "x".repeat(200) })).toBe(`, which is for ${"x".repeat(100)}`);
    for (const none of [null, "text", {}, { subjectaltname: undefined }])
      expect(namedBy(none)).toBe("");
  });

  it.each(["ECONNRESET", "ECONNREFUSED", "EPROTO", "ENOTFOUND", ""])(
    "and none by %j, which is of something else",
    (code) => {
      expect(tlsFailure(code, [new Error("read failed")])).toBeUndefined();
    },
  );
});
