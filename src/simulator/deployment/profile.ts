import { stringify } from "yaml";
import type { Json } from "../../domain/result.ts";
import { ROUTES } from "../routes/interface.ts";
import type { Route } from "../routes/routes.ts";
import { methodIn, pathIn } from "./border.ts";
import { differencesOf, type Deployment } from "./deployment.ts";
import { nameIn, PAGE } from "./encode.ts";
import { mapText } from "./map-text.ts";
import { READS, type Arguments } from "./shapes.ts";

/** What a watchdog's config says of a deployment, as keys of an entry of `aggregators`. */
export type FittingProfile = { readonly wire: Readonly<Record<string, EndpointProfile>> };

type EndpointProfile = {
  path?: string;
  method?: string;
  query?: Readonly<Record<string, string | null>>;
  body?: Json;
  map?: string;
};

/** The profile that fits, but for what `lacksOf` says. */
export function profileFor(deployment: Deployment): FittingProfile {
  const endpoints = ROUTES.filter(({ name, writes }) => name in READS || isRepair(name, writes));
  const differing = endpoints.flatMap((route): Array<[string, EndpointProfile]> => {
    const own = endpointProfile(deployment, route);
    return Object.keys(own).length === 0 ? [] : [[route.name, own]];
  });
  return { wire: Object.fromEntries(differing) };
}

/** What no profile can say of this deployment. */
export function lacksOf({ listings }: Deployment): readonly string[] {
  if (listings !== "paged") return [];
  return [
    `A listing is read to its first ${PAGE.size} entries, and known to be a part: pages are not asked for.`,
  ];
}

/** The profile as a config, for people and for a file. */
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

/** A toggle's DELETE, a placement and a lock order are in no profile. */
function isRepair(name: string, writes: Route["writes"]): boolean {
  return writes === "force" || (writes === "toggle" && name.startsWith("enable"));
}

function endpointProfile(deployment: Deployment, route: Route): EndpointProfile {
  const described = READS[route.name];
  const [path = ""] = route.paths;
  const own = pathIn(deployment, path);
  const method = methodIn(deployment, route);
  const map = described === undefined ? undefined : mapText(deployment, described.reply);
  return {
    ...(own === path ? {} : { path: own }),
    ...(method === route.method ? {} : { method }),
    ...argumentsProfile(deployment, method, described?.asks ?? {}),
    ...(map === undefined ? {} : { map }),
  };
}

/** That arguments follow the method is the watchdog's rule, so only their names are said. */
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
