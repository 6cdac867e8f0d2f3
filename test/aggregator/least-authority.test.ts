/** Tests src/aggregator: least authority. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { methodsAllowed } from "../../src/aggregator/authority.ts";
import { joinUrl, parseBaseUrl } from "../../src/aggregator/base-url.ts";
import type { EndpointName } from "../../src/aggregator/endpoints/index.ts";
import { ENDPOINT_NAMES, endpoints } from "../../src/aggregator/endpoints/index.ts";
import { FORBIDDEN_CALLS, forbiddenCall } from "../../src/aggregator/forbidden.ts";
import type { EndpointOverride, WireProfile } from "../../src/aggregator/profile.ts";
import { compileProfile } from "../../src/aggregator/profile.ts";
import { buildRequest } from "../../src/aggregator/request.ts";
import type { HttpMethod, Purpose } from "../../src/domain/http.ts";
import { gateProblem } from "../../src/io/aggregator/last-gate.ts";

const BASE = "https://aggregator.example/bsc-mainnet/backend";

const base = ((): URL => {
  const parsed = parseBaseUrl(BASE);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.value;
})();

const defaults = ((): WireProfile => {
  const compiled = compileProfile({});
  if (!compiled.ok) throw new Error("the default profile has problems");
  return compiled.value;
})();

/** What the interface's own table says must never be asked, written down once more, by hand. */
const NEVER = [
  ["POST", "/api/v1/order"],
  ["POST", "/api/v1/order/"],
  ["DELETE", "/api/v1/order"],
  ["POST", "/api/v1/order/internal"],
  ["POST", "/api/v1/order/futures"],
  ["POST", "/api/v1/atomic-swap"],
  ["DELETE", "/api/v1/exchange/toggle/BINANCE"],
  ["DELETE", "/api/v1/exchange/toggle/BINANCE/ORN-USDT"],
] as const;

const spellings: ReadonlyArray<(path: string) => string> = [
  (path) => path,
  (path) => path.toUpperCase(),
  (path) => `${path}/`,
  (path) => path.replace("/api/", "//api//"),
  (path) => path.replace("e", "%65"),
  (path) => path.replace("e", "%2565"),
  (path) => path.replace("/v1/", "/v1%2F"),
  (path) => path.replace("/v1/", "/v1/x/../"),
  (path) => path.replace("/v1/", "/v1/%2e%2e/v1/"),
  (path) => `${path};v=1`,
  (path) => `${path}%20`,
];

const hostileText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom("..", ".", "", "order", "../../order", "..%2f..%2forder", "%2e%2e", "internal"),
  fc.constantFrom(
    "atomic-swap",
    "toggle",
    "x/../..",
    "a?b",
    "a#b",
    "a;b",
    "\\..\\order",
    "//evil.example",
  ),
  fc.constantFrom("@evil.example", "ORN-USDT", "BINANCE", "\r\nx: y", "order/", "ORDER", "%6frder"),
);

const overridePath = fc.oneof(
  fc.constantFrom(...NEVER.map(([, path]) => path)),
  fc
    .tuple(fc.constantFrom(...NEVER), fc.constantFrom(...spellings))
    .map(([[, path], spell]) => spell(path)),
  fc
    .array(
      fc.constantFrom(
        "api",
        "v1",
        "order",
        "internal",
        "futures",
        "atomic-swap",
        "exchange",
        "toggle",
        "force",
        "..",
        "%2e",
        "Order",
        "{exchange}",
        "{assetPair}",
        "{orderId}",
        "{pair}",
        "",
        "x",
      ),
      { maxLength: 6 },
    )
    .map((segments) => `/${segments.join("/")}`),
);

const override: fc.Arbitrary<EndpointOverride> = fc.record(
  {
    method: fc.constantFrom("GET", "POST", "DELETE", "PUT", "delete", "post", "PATCH", "CONNECT"),
    path: overridePath,
    query: fc.dictionary(
      fc.constantFrom("a", "_method", "sender"),
      fc.constantFrom("x", "{orderId}"),
    ),
    headers: fc.dictionary(
      fc.constantFrom("x-a", "X-HTTP-Method-Override", "Host"),
      fc.constant("DELETE"),
    ),
  },
  { requiredKeys: [] },
);

/** Settings that are well-formed, and as near to a forbidden call as they can come. */
function nearOverride(name: EndpointName): fc.Arbitrary<EndpointOverride> {
  const literal = fc.constantFrom(
    "api",
    "v1",
    "Order",
    "internal",
    "toggle",
    "exchange",
    "force",
    "x",
  );
  return fc
    .tuple(
      fc.array(literal, { maxLength: 3 }),
      fc.shuffledSubarray(endpoints[name].args.map((arg) => `{${arg}}`)),
      fc.constantFrom("", "/", "/order", "/atomic-swap"),
      fc.constantFrom(...methodsAllowed(name)),
    )
    .map(([literals, args, end, method]) => ({
      method,
      path: `/${[...literals, ...args].join("/")}${end}`,
      body: method === "GET" ? undefined : endpoints[name].args.map((arg) => `{${arg}}`),
    }));
}

const nameAndOverride = fc
  .constantFrom(...ENDPOINT_NAMES)
  .chain((name) => fc.tuple(fc.constant(name), fc.oneof(override, nearOverride(name))));

const someArgs = fc.record({
  exchange: hostileText,
  assetPair: hostileText,
  orderId: hostileText,
  owner: hostileText,
  pair: hostileText,
  factory: hostileText,
  sender: hostileText,
  status: hostileText,
  address: hostileText,
  amount: hostileText,
  side: hostileText,
  limit: hostileText,
});

/** Builds with just the arguments that the endpoint has, and gives what would leave. */
function leaving(
  profile: WireProfile,
  name: EndpointName,
  values: Readonly<Record<string, string>>,
) {
  const endpoint = profile[name];
  const known = new Set([...endpoint.args, ...endpoint.optionalArgs]);
  const args = Object.fromEntries(Object.entries(values).filter(([key]) => known.has(key)));
  const request = buildRequest(profile, name, args);
  if (!request.ok) return undefined;
  return {
    request: request.value,
    url: joinUrl(base, request.value.path, request.value.query),
    args,
  };
}

/** The independent judgement of this test: is the URL one of those that must never be asked? */
function isNever(method: string, url: URL): boolean {
  const path = decodeURIComponent(url.pathname).toLowerCase().replace(/\/+$/, "");
  return NEVER.some(([never, ending]) => {
    if (never !== method) return false;
    const end = ending.toLowerCase().replace(/\/$/, "");
    const pattern = end.replace("binance/orn-usdt", "[^/]+/[^/]+").replace("binance", "[^/]+");
    return new RegExp(`${pattern}$`).test(path);
  });
}

describe("least authority", () => {
  test("the table has words for reads and for three actions, and for nothing else", () => {
    const acting = new Set<string>(["enableExchange", "enablePair", "forceCancel"]);
    expect(ENDPOINT_NAMES).toEqual(expect.arrayContaining([...acting]));
    for (const name of ENDPOINT_NAMES) {
      const { purpose, method, path } = endpoints[name];
      expect(purpose).toBe(acting.has(name) ? "act" : "read");
      expect(methodsAllowed(name)).toContain(method);
      expect(forbiddenCall(method, path)).toBeUndefined();
    }
  });

  test.each(NEVER)("%s %s is refused in every spelling, by profile and by gate", (method, path) => {
    for (const spell of spellings) {
      const spelled = spell(path);
      const name = method === "DELETE" ? "forceCancel" : "estimations";
      const query = name === "forceCancel" ? { query: { id: "{orderId}" } } : {};
      const compiled = compileProfile({ [name]: { method, path: spelled, ...query } });
      expect(compiled.ok, spelled).toBe(false);
      const url = new URL(`${BASE}${spelled}`);
      const purpose = method === "DELETE" ? "act" : "read";
      expect(gateProblem({ method, url, headers: {} }, base, purpose), spelled).toBeDefined();
    }
  });

  test("whatever the arguments, a request is its endpoint's method on its endpoint's path", () => {
    fc.assert(
      fc.property(fc.constantFrom(...ENDPOINT_NAMES), someArgs, (name, values) => {
        const built = leaving(defaults, name, values);
        if (built === undefined) return;
        const { request, url, args } = built;
        expect(request.method).toBe(endpoints[name].method);
        expect(url.origin).toBe("https://aggregator.example");
        const prefix = "/bsc-mainnet/backend/";
        expect(url.pathname.startsWith(prefix)).toBe(true);
        const template = endpoints[name].path.replace(/^\//, "").split("/");
        const segments = url.pathname.slice(prefix.length).split("/");
        expect(segments).toHaveLength(template.length);
        for (const [index, part] of template.entries()) {
          const arg = /^\{(.*)\}$/.exec(part)?.[1];
          const wanted = arg === undefined ? part : args[arg];
          expect(decodeURIComponent(segments[index] ?? "")).toBe(wanted);
        }
        expect(gateProblem({ ...request, url }, base, endpoints[name].purpose)).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
  });

  test("whatever the settings and arguments, no forbidden call is built", () => {
    let builtCount = 0;
    fc.assert(
      fc.property(nameAndOverride, someArgs, ([name, setting], values) => {
        const compiled = compileProfile({ [name]: setting });
        if (!compiled.ok) return;
        const built = leaving(compiled.value, name, values);
        if (built === undefined) return;
        builtCount += 1;
        const { request, url } = built;
        expect(methodsAllowed(name)).toContain(request.method);
        expect(isNever(request.method, url), `${request.method} ${url.pathname}`).toBe(false);
        expect(gateProblem({ ...request, url }, base, endpoints[name].purpose)).toBeUndefined();
        expect(Object.keys(request.headers).filter((key) => /method|host/i.test(key))).toEqual([]);
      }),
      { numRuns: 6_000 },
    );
    expect(builtCount).toBeGreaterThan(300);
  });

  test("the gate refuses another origin, another base path, and the methods of the other purpose", () => {
    const path = "/bsc-mainnet/backend/api/v1/exchange/list";
    const refusal = (method: HttpMethod, url: string, purpose: Purpose) =>
      gateProblem({ method, url: new URL(url), headers: {} }, base, purpose);
    expect(refusal("GET", `https://aggregator.example${path}`, "read")).toBeUndefined();
    expect(refusal("GET", `http://aggregator.example${path}`, "read")).toContain("origin");
    expect(refusal("GET", `https://aggregator.example:8443${path}`, "read")).toContain("origin");
    expect(refusal("GET", `https://evil.example${path}`, "read")).toContain("origin");
    expect(refusal("GET", `https://me:pw@aggregator.example${path}`, "read")).toContain("password");
    expect(refusal("GET", "https://aggregator.example/bsc-mainnet/x", "read")).toContain("path");
    expect(refusal("GET", "https://aggregator.example/bsc-mainnet/backendx/y", "read")).toContain(
      "path",
    );
    expect(refusal("DELETE", `https://aggregator.example${path}`, "read")).toContain("method");
    expect(refusal("GET", `https://aggregator.example${path}`, "act")).toContain("method");
    expect(refusal("PUT", `https://aggregator.example${path}`, "act")).toContain("method");
  });

  test("every forbidden call is written so that it can match", () => {
    for (const { method, tail } of FORBIDDEN_CALLS)
      expect(
        forbiddenCall(method, `/${tail.map((part) => part.replace("*", "a")).join("/")}`),
      ).toBeDefined();
  });
});
