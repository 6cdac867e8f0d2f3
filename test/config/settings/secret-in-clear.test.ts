/** Tests src/config/settings/resolve-route.ts: what leaves in the clear is warned of where it is written. */
import { describe, expect, it } from "vitest";
import { settingsOf, type Given } from "./settings-text.ts";

const AUTH = "auth: { act: { type: bearer, value_env: ACT_KEY } }";
const env = { ACT_KEY: "an-act-key" };

const aggregator = (url: string, more = AUTH) => `aggregators: [{ base_url: "${url}", ${more} }]\n`;
const ELSEWHERE = `${aggregator("https://aggregator.example")}notify:\n  `;

const placesOf = (given: Given) =>
  settingsOf(given).warnings.map(
    ({ severity, id, file, line, column }) => `${file}:${line}:${column} ${severity} ${id}`,
  );

describe("a secret that is sent by plain http", () => {
  it("is warned of at the URL, with what to write instead, and nothing is refused", () => {
    const text = aggregator("http://aggregator.example/backend");
    expect(settingsOf({ text, env }).warnings).toMatchObject([
      {
        severity: "warning",
        id: "lint/secret-in-clear",
        file: "etc/aggwatch.yaml",
        line: 1,
        column: 27,
        message: '"aggregators[0].base_url" is an http URL, so secrets are sent to it in the clear',
        hint: expect.stringMatching(/^give an https URL, or a host that is inside/) as string,
      },
    ]);
  });

  it("is warned of at the variable that the URL comes from", () => {
    const given = { AGGWATCH_BASE_URL: "http://aggregator.example", ...env };
    expect(placesOf({ text: `aggregators: [{ ${AUTH} }]`, env: given })).toEqual([
      "AGGWATCH_BASE_URL:0:0 warning lint/secret-in-clear",
    ]);
  });

  it.each([
    [
      "an Alertmanager with a login",
      'alertmanagers: [{ url: "http://am.example", auth: { type: bearer, value_env: ACT_KEY } }]',
      3,
      26,
    ],
    ["a channel whose URL is a secret", "webhooks: [{ url_env: HOOK }]", 3, 25],
    [
      "a channel with a key of its own",
      "opsgenie: [{ api_key_env: ACT_KEY, url: http://ops.example }]",
      3,
      43,
    ],
    ["the heartbeat", "heartbeat: { url_file: /run/hook }", 3, 26],
  ])("is warned of for %s", (_, notify, line, column) => {
    const text = `${ELSEWHERE}${notify}\n`;
    const hook = "http://hooks.example/services/x";
    const files = { "/run/hook": hook };
    expect(placesOf({ text, env: { ...env, HOOK: hook }, files })).toEqual([
      `etc/aggwatch.yaml:${line}:${column} warning lint/secret-in-clear`,
    ]);
  });

  it("is warned of for a watch list over HTTP", () => {
    const list = '{ url: "http://lists.example", auth: { type: bearer, value_env: ACT_KEY } }';
    const text = aggregator("https://aggregator.example", `watch: { http: [${list}] }`);
    expect(placesOf({ text, env })).toEqual([
      expect.stringContaining("warning lint/secret-in-clear") as string,
    ]);
  });

  it.each([
    "https://aggregator.example",
    "http://127.0.0.1:8080",
    "http://127.8.9.1",
    "http://[::1]:8080",
    "http://[::ffff:127.0.0.1]",
    "http://localhost",
    "http://api.localhost",
    "http://simulator:8080",
    "http://aggregator.backend.svc",
    "http://aggregator.backend.svc.cluster.local.:80",
    "http://host.docker.internal",
  ])("is not warned of if it stays on this machine or in its network: %s", (url) => {
    expect(placesOf({ text: aggregator(url), env })).toEqual([]);
  });

  it.each([
    "http://aggregator.example",
    "http://10.0.0.7",
    "http://128.0.0.1",
    "http://127.0.0.1.example",
    "http://[fd00::1]",
    "http://[::ffff:10.0.0.1]",
    "http://local.example",
    "http://notlocal.xlocal",
  ])("is warned of for every other host: %s", (url) => {
    expect(placesOf({ text: aggregator(url), env })).toHaveLength(1);
  });

  it("is not what a URL without a secret sends", () => {
    const text = `${aggregator("http://aggregator.example", "name: a")}notify: { alertmanagers: ["http://am.example"] }\n`;
    expect(placesOf({ text })).toEqual([]);
  });
});
