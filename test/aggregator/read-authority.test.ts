/** Tests src/aggregator/authority.ts: with the simulator as the judge of what a read can do. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { joinUrl, parseBaseUrl } from "../../src/aggregator/base-url.ts";
import { READ_ENDPOINTS, readEndpoints } from "../../src/aggregator/endpoints/index.ts";
import type { EndpointDefinition } from "../../src/aggregator/endpoints/definition.ts";
import type { EndpointOverride } from "../../src/aggregator/profile.ts";
import { compileProfile } from "../../src/aggregator/profile.ts";
import { buildRequest } from "../../src/aggregator/request.ts";
import { gateProblem } from "../../src/io/aggregator/last-gate.ts";
import { DEFAULT_LIQUIDATIONS } from "../../src/simulator/model/default-world.ts";
import { drive, KEY } from "../simulator/driver.ts";

const ORDER = DEFAULT_LIQUIDATIONS[0] ?? "";
const TOGGLE = "/api/v1/exchange/toggle";

const OVERRIDES = [
  "_method",
  "X-HTTP-Method-Override",
  "x-method-override",
  "httpMethod",
  "method",
];

/** Words of the interface, of its actions above all, in the spellings that a profile may hold. */
const WORDS = `api v1 exchange toggle Toggle order force FORCE atomic-swap internal futures pools estimation
  history OKX BINANCE ORN-USDT ${ORDER}`;
const word = fc.constantFrom(...WORDS.split(/\s+/));

const method = fc.constantFrom("GET", "POST", "post", "DELETE", "PUT");

/** Settings of a read that a person, or a text that was pasted, could hold. */
function overrideOf(definition: EndpointDefinition): fc.Arbitrary<EndpointOverride> {
  const arg = fc.constantFrom(...definition.args.map((name) => `{${name}}`), "x");
  const path = fc.oneof(
    fc.constantFrom(`${TOGGLE}/OKX`, `${TOGGLE}/BINANCE/ORN-USDT`, `/toggle/OKX`, `/OKX`),
    fc.constantFrom(`/api/v1/order/force/${ORDER}`, `/force/${ORDER}`, "/api/v1/order"),
    fc.array(fc.oneof(word, arg), { maxLength: 6 }).map((words) => `/${words.join("/")}`),
    fc.array(word, { maxLength: 3 }).map((words) => `/${words.join("/")}${definition.path}`),
    fc
      .array(fc.oneof(word, arg), { maxLength: 3 })
      .map((words) => [definition.path, ...words].join("/")),
  );
  const named = fc.dictionary(
    fc.constantFrom(...OVERRIDES, "a"),
    fc.oneof(method, fc.constantFrom(" delete", "x"), arg),
    { maxKeys: 2 },
  );
  const headers = fc.dictionary(fc.constantFrom(...OVERRIDES, "X-A"), method, { maxKeys: 1 });
  const rarely = (value: fc.Arbitrary<Record<string, string>>) =>
    fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
  return fc.oneof(
    fc.record({ method: fc.constantFrom("GET", "POST") }),
    fc.record({ method: fc.constantFrom("GET", "POST"), path }),
    fc.record({
      method,
      path,
      query: rarely(named),
      body: rarely(named),
      headers: rarely(headers),
    }),
  );
}

const settings = fc
  .constantFrom(...READ_ENDPOINTS)
  .chain((name) => fc.tuple(fc.constant(name), overrideOf(readEndpoints[name])));

const text = fc.oneof(word, method, fc.constantFrom("exchange/toggle/OKX", "..", "toggle/OKX"));
const BASES = ["", "/api/v1", "/api/v1/exchange", "/api/v1/exchange/toggle", "/api/v1/order"];

describe("a read", () => {
  test("changes nothing, whatever the profile, the base URL and the arguments are", () => {
    const { simulator, raw, ask } = drive();
    ask("DELETE", `${TOGGLE}/OKX`);
    ask("DELETE", `${TOGGLE}/BINANCE/ORN-USDT`);
    const disabled = ask("GET", "/api/v1/exchange/disabled");
    let sent = 0;
    fc.assert(
      fc.property(
        settings,
        fc.array(text, { minLength: 12, maxLength: 12 }),
        fc.constantFrom(...BASES),
        fc.constantFrom(...BASES),
        ([name, setting], texts, prefix, apiPrefix) => {
          const compiled = compileProfile({ [name]: setting }, { apiPrefix, instants: "seconds" });
          const base = parseBaseUrl(`http://127.0.0.1${prefix}`);
          if (!compiled.ok || !base.ok) return;
          const { args } = compiled.value[name];
          const given = Object.fromEntries(args.map((arg, at) => [arg, texts[at] ?? "x"]));
          const built = buildRequest(compiled.value, name, given);
          if (!built.ok) return;
          const url = joinUrl(base.value, built.value.path, built.value.query);
          if (gateProblem({ ...built.value, url }, base.value, "read") !== undefined) return;
          sent += 1;
          const taken = methodTaken(built.value, url);
          raw(
            taken,
            `${decodeURI(url.pathname)}${url.search}`,
            JSON.stringify(built.value.body ?? ""),
            KEY,
          );
          const last = simulator.requestLog().at(-1);
          expect(last?.applied ?? false, `${taken} ${url.pathname}`).toBe(false);
        },
      ),
      { numRuns: 6_000 },
    );
    expect(sent).toBeGreaterThan(300);
    expect(ask("GET", "/api/v1/exchange/disabled")).toEqual(disabled);
  });

  test("of the interface's own may be a GET or a POST, except if a POST would place an order", () => {
    for (const name of READ_ENDPOINTS)
      for (const verb of ["GET", "POST"]) {
        const compiled = compileProfile({
          [name]: { method: verb },
        });
        const problems = compiled.ok ? [] : compiled.problem.map(({ path }) => path.join("."));
        const isPlacement = verb === "POST" && ["order", "futuresOrder"].includes(name);
        const wanted = isPlacement ? [`${name}.method`, `${name}.path`] : [];
        expect(problems, `${verb} ${name}`).toEqual(wanted);
      }
  });

  test.each(["exchange/toggle/OKX", "order/history", "api/v1/toggle/OKX/pools/estimation", "x"])(
    "by POST to …/%s is refused at the gate, whoever built it",
    (path) => {
      const url = new URL(`http://127.0.0.1/${path}`);
      const leaving = { method: "POST", url, headers: {}, body: {} } as const;
      const problem = gateProblem(leaving, new URL("http://127.0.0.1"), "read");
      expect(problem).toBe(
        path === "order/history"
          ? undefined
          : "POST on this path is not a call that aggwatch makes",
      );
    },
  );
});

/** The method as the most credulous of frameworks takes it: from a header, a parameter or a field. */
function methodTaken(
  request: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: unknown;
  },
  url: URL,
): string {
  const fields =
    typeof request.body === "object" && request.body !== null ? Object.entries(request.body) : [];
  const found = [...Object.entries(request.headers), ...url.searchParams, ...fields].find(
    ([name]) => OVERRIDES.some((override) => override.toLowerCase() === name.toLowerCase()),
  );
  return String(found?.[1] ?? request.method)
    .trim()
    .toUpperCase();
}
