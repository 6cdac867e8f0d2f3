import { stringify } from "yaml";
import type { Json } from "../../domain/result.ts";
import { ROUTES } from "../routes/interface.ts";
import type { Route } from "../routes/routes.ts";
import { methodIn } from "./border.ts";
import { differencesOf, USUAL, type Deployment } from "./deployment.ts";
import { nameIn, PAGE } from "./encode.ts";
import { mapText } from "./map-text.ts";
import { READS, type Arguments } from "./shapes.ts";

/** The wire profile of a deployment: keys of an entry of `aggregators` in a watchdog's config. */
type FittingProfile = {
  readonly api_prefix?: string;
  readonly instants?: Deployment["instants"];
  readonly wire: Readonly<Record<string, EndpointProfile>>;
};

type EndpointProfile = {
  method?: string;
  query?: Readonly<Record<string, string | null>>;
  body?: Json;
  map?: string;
};

/** The wire profile that fits a deployment, except for the limits that `lacksOf` gives. */
export function profileFor(deployment: Deployment): FittingProfile {
  const differing = ROUTES.flatMap((route): Array<[string, EndpointProfile]> => {
    const own = endpointProfile(deployment, route);
    return Object.keys(own).length === 0 ? [] : [[route.name, own]];
  });
  const { prefix, instants } = deployment;
  return {
    ...(prefix === USUAL.prefix ? {} : { api_prefix: prefix }),
    ...(instants === USUAL.instants ? {} : { instants }),
    wire: Object.fromEntries(differing),
  };
}

/** The limits of a deployment that no wire profile removes, for people. */
export function lacksOf({ listings }: Deployment): readonly string[] {
  if (listings !== "paged") return [];
  return [
    `Only the first ${PAGE.size} entries of a listing are read, and it is known to be incomplete: further pages are not requested.`,
  ];
}

/** The wire profile as a config file, with comments for people. */
export function printProfile(
  deployment: Deployment,
  baseUrl: string,
  watch: Readonly<Record<string, readonly string[]>>,
): string {
  const title = `The deployment ${deployment.name}: ${differencesOf(deployment).join(", ")}`;
  const comments = [title, ...lacksOf(deployment)].map((line) => `# ${line}\n`).join("");
  const aggregator = { base_url: baseUrl, watch, ...profileFor(deployment) };
  return comments + stringify({ aggregators: [aggregator] }, { lineWidth: 0 });
}

function endpointProfile(deployment: Deployment, route: Route): EndpointProfile {
  const described = READS[route.name];
  const method = methodIn(deployment, route);
  const map = described === undefined ? undefined : mapText(deployment, described.reply);
  return {
    ...(method === route.method ? {} : { method }),
    ...argumentsProfile(deployment, method, described?.asks ?? {}),
    ...(map === undefined ? {} : { map }),
  };
}

/** The method decides whether arguments are in the query or the body, so the profile gives only renamed ones. */
function argumentsProfile(
  deployment: Deployment,
  method: Route["method"],
  asks: Arguments,
): Pick<EndpointProfile, "query" | "body"> {
  const all = Object.entries(asks).map(([name, type]) => {
    const isNumber = type === "number" || type === "instant";
    return { name, own: nameIn(deployment, name), isNumber };
  });
  if (all.every(({ name, own }) => name === own)) return {};
  if (method !== "GET") {
    const body = all.map(({ name, own, isNumber }) => [
      own,
      `{${name}${isNumber ? ":number" : ""}}`,
    ]);
    return { body: Object.fromEntries(body) as Json };
  }
  const query = all
    .filter(({ name, own }) => name !== own)
    .flatMap(({ name, own }): Array<[string, string | null]> => [
      [name, null],
      [own, `{${name}}`],
    ]);
  return { query: Object.fromEntries(query) };
}
