import type { Checker } from "../witness.ts";

/** What may leave, written down a second time: the toggles' POST, the forced cancellation, and reads. */
const MAY_ACT = [
  { method: "POST", path: /^\/api\/v1\/exchange\/toggle\/[^/]+(?:\/[^/]+)?$/ },
  { method: "DELETE", path: /^\/api\/v1\/order\/force\/[^/]+$/ },
] as const;

/** Some reads are a POST, as what is asked for stands in a body. */
const MAY_READ = [
  { method: "GET", path: /^\/api\/v1\/exchange\/(?:list|disabled)$/ },
  { method: "GET", path: /^\/api\/v1\/order(?:\/futures|\/status|\/liquidation)?$/ },
  { method: "POST", path: /^\/api\/v1\/order\/(?:history|futures\/(?:status|history))$/ },
  {
    method: "GET",
    path: /^\/api\/v1\/pairs\/(?:list(?:\/detailed)?|exchangeInfo(?:\/[^/]+){0,2})$/,
  },
  { method: "GET", path: /^\/api\/v1\/pools\/reservations(?:\/[^/]+\/[^/]+)?$/ },
  { method: "POST", path: /^\/api\/v1\/pools\/estimation(?:\/[^/]+\/[^/]+)?$/ },
  { method: "GET", path: /^\/atomic-swap\/api\/v1\/history\/all$/ },
  { method: "GET", path: /^\/api\/v1\/atomic-swap\/history\/current$/ },
  { method: "POST", path: /^\/api\/v1\/atomic-swap\/balances$/ },
] as const;

/** Only allow-listed method and path pairs ever leave, and the acting credential with actions alone. */
export function checkAllowList(): Checker {
  return {
    invariant: "6 allow-list",
    witness: (seen) => {
      if (seen.type !== "left") return [];
      const { method, path, purpose, credential } = seen;
      const found: string[] = [];
      const list = purpose === "read" ? MAY_READ : MAY_ACT;
      if (!list.some((one) => one.method === method && one.path.test(path))) {
        found.push(`${method} ${path} left to ${purpose}, and is not allow-listed`);
      }
      if (purpose === "read" && credential === "act") {
        found.push(`${method} ${path} left to read, with the credential for acting on it`);
      }
      return found;
    },
  };
}
