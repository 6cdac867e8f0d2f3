import { CHANGING_CALLS, statedWords } from "../src/aggregator/authority.ts";
import type { EndpointDefinition, ReplyShape } from "../src/aggregator/endpoints/definition.ts";
import {
  ENDPOINT_NAMES,
  endpoints,
  READ_ENDPOINTS,
  readEndpoints,
  type EndpointName,
} from "../src/aggregator/endpoints/index.ts";
import { FORBIDDEN_CALLS } from "../src/aggregator/forbidden.ts";
import type { Json } from "../src/domain/result.ts";
import { pollers } from "../src/pollers/index.ts";
import { NOTHING_WATCHED, type WatchList } from "../src/pollers/poller.ts";

/** The tables of docs/aggregator.md, written from the code so that they cannot differ from it. */
export function endpointTable(): string {
  const rows = ENDPOINT_NAMES.map((name) => {
    const definition: EndpointDefinition = endpoints[name];
    const { purpose, statedBy, why } = definition;
    return `| \`${name}\` | ${purpose} | ${requestText(definition)} | ${statedBy} | ${askedBy(name)} | ${why} |`;
  });
  return [
    "| `wire.<name>` | purpose | default request | stated by | requested by | what it is for |",
    "|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

function requestText({ method, path, query, body }: EndpointDefinition): string {
  const pairs = Object.entries(query ?? {}).map(([key, value]) => `${key}=${value}`);
  const asked = pairs.length === 0 ? path : `${path}?${pairs.join("&")}`;
  const content = body === undefined ? "" : `, body \`${JSON.stringify(body)}\``;
  return `\`${method} ${asked}\`${content}`;
}

export function forbiddenTable(): string {
  const rows = FORBIDDEN_CALLS.map(
    ({ method, tail, means }) => `| \`${method} …/${tail.join("/")}\` | ${means} |`,
  );
  return ["| never sent | because it |", "|---|---|", ...rows].join("\n");
}

export function changingTable(): string {
  const rows = CHANGING_CALLS.map(
    ({ purpose, method, name }) =>
      `| \`${name}\` | ${purpose} | \`${method} …/${statedWords(name).join("/")}\` |`,
  );
  return ["| `wire.<name>` | purpose | call |", "|---|---|---|", ...rows].join("\n");
}

/** Something of everything, so that each poller asks all that it can ask. */
const ALL: WatchList = {
  ...NOTHING_WATCHED,
  senders: [{ address: "0x8a" }],
  liquidations: [{ id: "0x5f" }],
  orders: [
    { market: "spot", id: "1" },
    { market: "futures", id: "2" },
  ],
  orderStatuses: { spot: ["NEW"], futures: ["NEW"] },
  pools: [{ factory: "OrionV2", pair: "ORN-USDT" }],
  markets: [{ exchange: "OKX" }, { pair: "A-B" }, { pair: "A-B", exchange: "OKX" }],
};

function askedBy(name: EndpointName): string {
  if (endpoints[name].purpose === "act") return "an action";
  const asking = pollers.filter(({ plan }) =>
    [NOTHING_WATCHED, ALL].some((watch) =>
      plan(watch).some(({ requests }) => requests.some(({ endpoint }) => endpoint === name)),
    ),
  );
  return asking.map((poller) => `\`${poller.name}\``).join(", ") || "`probe` only";
}

/** The table of replies in docs/aggregator.md. A field with a question mark may be absent or null. */
export function replyTable(): string {
  const byShape = Map.groupBy(READ_ENDPOINTS, (name) => readEndpoints[name].reply);
  const rows = [...byShape].map(([shape, endpoints]) => {
    const names = endpoints.map((name) => `\`${name}\``).join(", ");
    return `| ${names} | \`${shapeText(shape)}\` | ${shape.statedBy} | ${shape.notes} |`;
  });
  const head = "| reply of | default shape | stated by | notes |";
  return [head, "|---|---|---|---|", ...rows].join("\n");
}

function shapeText({ example, required }: ReplyShape): string {
  const describe = (value: Json, path: string): string => {
    if (Array.isArray(value)) return `[${describe(value[0] ?? null, `${path}[]`)}, …]`;
    if (typeof value !== "object" || value === null) return JSON.stringify(value);
    const fields = Object.entries(value).map(([key, field]) => {
      const own = path === "" ? key : `${path}.${key}`;
      return `${key}${required.includes(own) ? "" : "?"}: ${describe(field, own)}`;
    });
    return `{${fields.join(", ")}}`;
  };
  return describe(example, "");
}
