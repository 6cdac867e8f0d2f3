/** Tests src/pollers: the field that a fact is made of. */
import { describe, expect, it } from "vitest";
import {
  readEndpoints,
  type ReadEndpoint,
  type Reply,
} from "../../src/aggregator/endpoints/index.ts";
import type { Json } from "../../src/domain/result.ts";
import { pollersByName } from "../../src/pollers/index.ts";
import { NOTHING_WATCHED, type EndpointRequest } from "../../src/pollers/poller.ts";
import { DEFAULT_STATUSES } from "../../src/pollers/status-words.ts";

/** The surfaces on which the example of each reply is read. */
const SURFACES: ReadonlyArray<{
  readonly poller: string;
  readonly name: string;
  readonly requests: readonly EndpointRequest[];
}> = [
  { poller: "swaps", name: "0x8a…", requests: [{ endpoint: "activeSwaps", args: {} }] },
  { poller: "swap_history", name: "0x8a…", requests: [{ endpoint: "swapHistory", args: {} }] },
  { poller: "liquidations", name: "0xab…", requests: [{ endpoint: "liquidation", args: {} }] },
  {
    poller: "orders",
    name: "spot",
    requests: [{ endpoint: "ordersByStatus", args: { status: "ACCEPTED" } }],
  },
  { poller: "pools", name: "all", requests: [{ endpoint: "reserves", args: {} }] },
  {
    poller: "markets",
    name: "list",
    requests: [
      { endpoint: "pairs", args: {} },
      { endpoint: "pairsDetailed", args: {} },
    ],
  },
  { poller: "markets", name: "settings", requests: [{ endpoint: "exchangeInfo", args: {} }] },
];

/** The facts of the first entity of each kind that a surface gives. */
function factsOf(
  { poller: name, ...surface }: (typeof SURFACES)[number],
  change: (example: Json) => Json,
) {
  const poller = pollersByName.get(name);
  const replies = surface.requests.map(({ endpoint }) => {
    const { decode, reply } = readEndpoints[endpoint];
    const decoded = decode(change(reply.example));
    if (!decoded.ok) throw new Error(decoded.problem.path);
    return { endpoint, value: decoded.value } as Reply;
  });
  const reading = poller?.read(surface, replies, {
    watch: { ...NOTHING_WATCHED, liquidations: [{ id: "0xab…" }] },
    statuses: DEFAULT_STATUSES,
  });
  if (reading?.ok !== true) throw new Error(`${name} does not read the examples`);
  return reading.entities;
}

const without = (value: Json, [key = "", ...rest]: readonly string[]): Json => {
  if (Array.isArray(value)) return value.map((item: Json) => without(item, [key, ...rest]));
  if (typeof value !== "object" || value === null) return value;
  const { [key]: inner, ...others } = value as Record<string, Json>;
  if (inner === undefined) return value;
  return rest.length === 0 ? others : { ...others, [key]: without(inner, rest) };
};

function optionalFields(endpoint: ReadEndpoint): readonly string[] {
  const { example, required } = readEndpoints[endpoint].reply;
  const fields = (value: Json, path: string): readonly string[] => {
    if (Array.isArray(value)) return fields(value[0] ?? null, `${path}[]`);
    if (typeof value !== "object" || value === null) return [path];
    return Object.entries(value).flatMap(([key, inner]) =>
      fields(inner, path === "" ? key : `${path}.${key}`),
    );
  };
  return fields(example, "")
    .filter((path) => !required.includes(path))
    .map((path) => path.replace(/^\[\]\.?/, ""));
}

describe("the field that a fact is made of", () => {
  it.each(SURFACES)("is the one without which $poller does not give it ($name)", (surface) => {
    const whole = factsOf(surface, (example) => example);
    const fields = surface.requests.flatMap(({ endpoint }) => optionalFields(endpoint));
    for (const field of fields) {
      // The outer id of an order says nothing but what the inner one says.
      if (field === "orderId") continue;
      const less = factsOf(surface, (example) => without(example, field.split(".")));
      for (const [index, { kind, facts }] of whole.entries()) {
        const lost = Object.keys(facts).filter((fact) => less[index]?.facts[fact] === undefined);
        const definition = pollersByName
          .get(surface.poller)
          ?.kinds.find((one) => one.kind === kind)?.facts;
        const named = Object.keys(facts).filter(
          (fact) => definition?.[fact]?.field === field.replace(/^order\./, ""),
        );
        expect(named, `${kind} without ${field}`).toStrictEqual(lost);
      }
    }
  });
});
