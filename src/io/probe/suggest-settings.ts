import { methodsAllowed } from "../../aggregator/authority.ts";
import { READ_ENDPOINTS, type ReadEndpoint } from "../../aggregator/endpoints/index.ts";
import { compileProfile, type WireEndpoint, type WireProfile } from "../../aggregator/profile.ts";
import type { Json } from "../../domain/result.ts";
import { snakeCase } from "../../domain/wording.ts";
import { bare } from "./alike.ts";
import { leavesOf, placesOf } from "./body.ts";
import type { ProbedPoller } from "./observe-once.ts";
import type { Probed } from "./probe-endpoint.ts";
import type { SuggestedMaps } from "./suggest-all.ts";
import { targetOf, type Target } from "./target.ts";

/** A key of an aggregator, from `aggregators[]` on, and the value suggested for it. */
export type SuggestedSetting = {
  readonly path: readonly string[];
  readonly value: Json;
  /** For a comment: what it does, and what it leaves out. */
  readonly why: readonly string[];
};

/** All suggestions, as settings. Only the next probe tries the methods and the names of arguments. */
export function suggestSettings(
  probed: readonly Probed[],
  { byEndpoint, instants }: SuggestedMaps,
  profile: WireProfile,
  pollers: readonly ProbedPoller[],
): readonly SuggestedSetting[] {
  const naming = namingOf(probed);
  return [
    ...(instants === undefined
      ? []
      : [
          {
            path: ["instants"],
            value: instants,
            why: ["All times in the replies are in this unit."],
          },
        ]),
    ...probed.flatMap((one): readonly SuggestedSetting[] => {
      const { endpoint } = one;
      const { suggestion } = byEndpoint.get(endpoint) ?? {};
      if (suggestion !== undefined) {
        const { map, entries, lacks, unused } = suggestion;
        const why = [
          readsText(entries),
          ...(lacks.length === 0 ? [] : [`It does not give ${lacks.join(", ")}.`]),
          ...(unused.length === 0 ? [] : [`It leaves out ${unused.slice(0, 12).join(", ")}.`]),
        ];
        return [{ path: ["wire", endpoint, "map"], value: map, why }];
      }
      if (one.status === 405) return otherMethod(profile[endpoint], naming);
      const isOther = pollers.some(({ problem }) => isForOther(endpoint, problem));
      return isRefused(one) || isOther ? argumentNames(profile[endpoint], naming) : [];
    }),
    // The method of an endpoint that was not asked is not known, and a body rules out GET.
    ...READ_ENDPOINTS.filter((name) => !probed.some(({ endpoint }) => endpoint === name)).flatMap(
      (name) => argumentNames({ ...profile[name], body: undefined }, naming),
    ),
  ];
}

/** How many entries a suggested map reads. */
export function readsText(entries: number): string {
  if (entries === 0) return "It reads the listing that came, which is empty now.";
  return entries === 1
    ? "It reads the one entry that came."
    : `It reads all ${entries} entries that came.`;
}

const NOT_TRIED = "The next probe shows whether this is right.";

/** Whether the server did not understand the arguments. */
function isRefused({ outcome, status }: Probed): boolean {
  return outcome === "failed" && (status === 400 || status === 422 || status === 404);
}

/** Whether the reply can be read and is not the one asked for: the server ignored an argument. */
function isForOther(endpoint: ReadEndpoint, problem: string | undefined): boolean {
  return problem?.startsWith(`${endpoint}: `) === true && problem.includes("asked for");
}

/** The other method that the endpoint may have, and its arguments, which move with the method. */
function otherMethod(
  { name, method }: WireEndpoint,
  naming: Naming | undefined,
): readonly SuggestedSetting[] {
  const other = methodsAllowed(name).find((one) => one !== method);
  if (other === undefined) return [];
  const moved = compileProfile({ [name]: { method: other } });
  return [
    {
      path: ["wire", name, "method"],
      value: other,
      why: [`It does not take ${method}. ${NOT_TRIED}`],
    },
    ...(moved.ok ? argumentNames(moved.value[name], naming) : []),
  ];
}

type Naming = (name: string) => string;
const PASCAL: Naming = (name) => name.charAt(0).toUpperCase() + name.slice(1);

/** How the deployment spells names that the default shape has too; undefined if as usual. */
function namingOf(probed: readonly Probed[]): Naming | undefined {
  const found = { pascal: 0, snake: 0, usual: 0 };
  for (const { endpoint, json } of probed) {
    if (json === undefined) continue;
    const wanted = new Map(namesOf(targetOf(endpoint)).map((name) => [bare(name), name]));
    const lists = placesOf(json).flatMap(({ value }) => (Array.isArray(value) ? value : [value]));
    const names = new Set(leavesOf(lists.slice(0, 50)).flat());
    for (const name of names) {
      const usual = wanted.get(bare(name));
      if (usual === undefined) continue;
      if (name === PASCAL(usual)) found.pascal += 1;
      else if (name !== usual && name === snakeCase(usual)) found.snake += 1;
      else if (name === usual && snakeCase(usual) !== usual) found.usual += 1;
    }
  }
  if (found.usual > 0) return undefined;
  if (found.pascal > found.snake) return PASCAL;
  return found.snake > 0 ? snakeCase : undefined;
}

function namesOf(target: Target): readonly string[] {
  switch (target.type) {
    case "names":
      return [];
    case "lists":
      return Object.entries(target.lists).flatMap(([key, inner]) => [key, ...namesOf(inner)]);
    case "record":
    case "records":
      return target.fields.flatMap(({ path }) => path);
  }
}

/** The default arguments, with names spelled as in the deployment's replies. */
function argumentNames(
  { name, query, body }: WireEndpoint,
  naming: Naming | undefined,
): SuggestedSetting[] {
  if (naming === undefined) return [];
  const why = [`Its replies spell names like this. ${NOT_TRIED}`];
  const others = Object.entries(query).filter(([key]) => naming(key) !== key);
  const renamed = Object.fromEntries(
    others.flatMap(([key, text]): Array<[string, Json]> => [
      [key, null],
      [naming(key), text],
    ]),
  );
  const fields = typeof body === "object" && body !== null && !Array.isArray(body) ? body : {};
  const own = Object.entries(fields).map(([key, value]): [string, Json] => [naming(key), value]);
  const isSame = own.every(([key]) => Object.hasOwn(fields, key));
  return [
    ...(others.length === 0 ? [] : [{ path: ["wire", name, "query"], value: renamed, why }]),
    ...(isSame ? [] : [{ path: ["wire", name, "body"], value: Object.fromEntries(own), why }]),
  ];
}
