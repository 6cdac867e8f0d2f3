import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { secretsOf } from "../../../src/config/settings/setting-entries.ts";
import { createRedactor } from "../../../src/io/redact/redactor.ts";
import { PASSPHRASE, pem } from "../../io/tls-front.ts";
import { load, problemsOf, settingsOf } from "./settings-text.ts";

const FILES = {
  "etc/ca.pem": `# the CA of the desk\n${pem("ca")}\n${pem("other-ca")}`,
  "etc/cert.pem": pem("client"),
  "etc/key.pem": pem("client-key"),
  "etc/locked.pem": pem("client-key-encrypted"),
  "etc/other-key.pem": pem("server-key"),
  "etc/passphrase": `${PASSPHRASE}\n`,
  "etc/wrong": "sesame-close",
  "etc/text": "not a certificate",
  "etc/broken.pem": `${pem("ca")}\n-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n`,
  "etc/broken-key.pem": "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n",
};
const ENV = { KEY: pem("client-key"), PASS: "pr0xy-pass" };

function config(route: string, url = "https://a.example/x"): string {
  return `aggregators:\n  - base_url: ${url}\n    ${route}\n`;
}

function routeOf(route: string) {
  return settingsOf({ text: config(route), files: FILES, env: ENV }).aggregators[0]?.route;
}

describe("tls", () => {
  it("is nothing unless it is set", () => {
    expect(routeOf("name: a")).toEqual({});
  });

  it("takes the certificates out of the file of CAs", () => {
    const ca = routeOf("tls: { ca_file: ca.pem }")?.tls?.ca;
    expect(ca?.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    expect(ca).not.toContain("desk");
  });

  it.each([
    ["a file", "{ cert_file: cert.pem, key_file: key.pem }", undefined],
    ["a variable", "{ cert_file: cert.pem, key_env: KEY }", undefined],
    [
      "a file with a passphrase",
      "{ cert_file: cert.pem, key_file: locked.pem, key_passphrase_file: passphrase }",
      PASSPHRASE,
    ],
  ])("reads our certificate with its key from %s", (_, tls, passphrase) => {
    const client = routeOf(`tls: ${tls}`)?.tls?.client;
    expect(client?.cert).toContain("BEGIN CERTIFICATE");
    expect(client?.key.reveal()).toMatch(/^-----BEGIN (?:ENCRYPTED )?PRIVATE KEY-----/);
    expect(client?.passphrase?.reveal()).toBe(passphrase);
  });

  it("hides the key and its passphrase, and no word that every key has", () => {
    const tls =
      "tls: { cert_file: cert.pem, key_file: locked.pem, key_passphrase_file: passphrase }";
    const settings = settingsOf({ text: config(tls), files: FILES, env: ENV });
    const { redact } = createRedactor(secretsOf(settings));
    const said = "the private key is not that of the certificate";
    expect(redact(said)).toBe(said);
    expect(redact(`it said ${PASSPHRASE}`)).not.toContain(PASSPHRASE);
    const [, , line = ""] = FILES["etc/locked.pem"].split("\n");
    expect(redact(`it said ${line}`)).not.toContain(line.slice(8));
  });

  it.each([
    ["{ ca_file: nope }", "3:21 config/bad-certificate", /nope cannot be read/],
    ["{ ca_file: text }", "3:21 config/bad-certificate", /holds no certificate/],
    ["{ ca_file: broken.pem }", "3:21 config/bad-certificate", /certificate 2 of 2/],
    ["{ cert_file: text, key_file: key.pem }", "3:23 config/bad-certificate", /no certificate/],
    ["{ cert_file: cert.pem }", "3:5 config/secret", /set key_file or key_env/],
    ["{ key_file: key.pem }", "3:5 config/missing", /"cert_file" is missing beside the key/],
    [
      "{ key_passphrase_file: passphrase }",
      "3:5 config/missing",
      /missing beside the key's passphrase/,
    ],
    ["{ cert_file: cert.pem, key_file: text }", "3:43 config/secret", /no private key/],
    ["{ cert_file: cert.pem, key_file: broken-key.pem }", "3:43 config/secret", /private key/],
    ["{ cert_file: cert.pem, key_file: locked.pem }", "3:43 config/secret", /is encrypted/],
    [
      "{ cert_file: cert.pem, key_file: locked.pem, key_passphrase_file: wrong }",
      "3:76 config/secret",
      /passphrase does not open/,
    ],
    [
      "{ cert_file: cert.pem, key_file: other-key.pem }",
      "3:43 config/contradiction",
      /not that of the certificate/,
    ],
    ["{ cert_file: cert.pem, key: abc }", "3:33 config/secret-in-config", /key_file or key_env/],
  ])("%s is a problem at %s", (tls, place, message) => {
    const problems = problemsOf({ text: config(`tls: ${tls}`), files: FILES, env: ENV });
    expect(problems.map(({ line, column, id }) => `${line}:${column} ${id}`)).toContain(place);
    expect(problems.map((one) => one.message).join("\n")).toMatch(message);
    expect(JSON.stringify(problems)).not.toMatch(/sesame|MIIB|MIG/);
  });

  it("has no meaning for an http URL", () => {
    const text = config("tls: { ca_file: ca.pem }", "http://a.example/x");
    expect(problemsOf({ text, files: FILES })).toMatchObject([
      { line: 3, column: 5, id: "config/unused-key", hint: expect.stringContaining("https") },
    ]);
  });
});

describe("proxy", () => {
  it("may be its URL alone", () => {
    expect(routeOf("proxy: http://proxy.example:3128")).toEqual({
      proxy: { host: "proxy.example", port: 3128 },
    });
    expect(routeOf('proxy: "http://[::1]"')).toEqual({ proxy: { host: "::1", port: 80 } });
  });

  it("may take a credential, which shows itself nowhere", () => {
    const route = "proxy: { url: http://proxy.example, username: me, password_env: PASS }";
    const credential = routeOf(route)?.proxy?.credential;
    expect([credential?.username, credential?.password.reveal()]).toEqual(["me", "pr0xy-pass"]);
    const loaded = load({ text: config(route), files: FILES, env: ENV });
    expect(inspect(loaded, { depth: 20 }) + JSON.stringify(loaded)).not.toContain("pr0xy-pass");
  });

  it("may be a variable of its own", () => {
    const env = {
      AGGWATCH_BASE_URL: "https://a.example",
      AGGWATCH_PROXY_URL: "http://proxy.example:1",
      AGGWATCH_TLS_CA_FILE: "etc/ca.pem",
    };
    const route = settingsOf({ env, files: FILES }).aggregators[0]?.route;
    expect(route).toMatchObject({ proxy: { host: "proxy.example", port: 1 }, tls: {} });
  });

  it.each([
    ["https://proxy.example", "3:12 config/bad-value", /HTTP proxy/],
    ["socks5://proxy.example", "3:12 config/bad-value", /HTTP proxy/],
    ["http://proxy.example/path", "3:12 config/bad-value", /HTTP proxy/],
    ["http://me:pass@proxy.example", "3:12 config/bad-value", /user name or password/],
    ["{ url: http://p.example, password_env: PASS }", "3:5 config/missing", /"username"/],
    ["{ url: http://p.example, username: me }", "3:5 config/secret", /password_file/],
    [
      "{ url: http://p.example, username: 'm:e', password_env: PASS }",
      "3:47 config/bad-value",
      /colon/,
    ],
  ])("%s is a problem at %s", (proxy, place, message) => {
    const problems = problemsOf({ text: config(`proxy: ${proxy}`), files: FILES, env: ENV });
    expect(problems.map(({ line, column, id }) => `${line}:${column} ${id}`)).toEqual([place]);
    expect(problems[0]?.message).toMatch(message);
  });

  it("is refused if it could read the credential of the aggregator", () => {
    const route =
      "auth: { read: { type: bearer, value_env: PASS } }\n    proxy: http://proxy.example:3128";
    const problems = problemsOf({ text: config(route, "http://a.example"), env: ENV });
    expect(problems).toMatchObject([{ line: 4, column: 5, id: "config/contradiction" }]);
    expect(problemsOf({ text: config(route), env: ENV })).toEqual([]);
    const open = config("proxy: http://proxy.example:3128", "http://a.example");
    expect(problemsOf({ text: open })).toEqual([]);
  });

  it.each([
    ["webhooks", "http://hook.example/s3cret"],
    ["slack", "http://hook.example/s3cret"],
  ])("is refused if it could read the URL of %s", (key, url) => {
    const text = `${config("name: a")}notify:\n  ${key}: [{ url_env: HOOK, proxy: "http://p" }]\n`;
    expect(problemsOf({ text, env: { HOOK: url } })).toMatchObject([
      { id: "config/contradiction", line: 5 },
    ]);
    expect(problemsOf({ text, env: { HOOK: url.replace("http:", "https:") } })).toEqual([]);
  });
});
