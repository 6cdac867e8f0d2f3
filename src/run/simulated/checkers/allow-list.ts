import type { Checker } from "../witness.ts";

/** What may act, written down a second time: the toggles' POST and the forced cancellation. */
const MAY_ACT = [
  { method: "POST", path: /^\/api\/v1\/exchange\/toggle\/[^/]+(?:\/[^/]+)?$/ },
  { method: "DELETE", path: /^\/api\/v1\/order\/force\/[^/]+$/ },
] as const;

/** Only allow-listed method and path pairs ever leave the transport. */
export function checkAllowList(): Checker {
  return {
    invariant: "6 allow-list",
    witness: (seen) => {
      if (seen.type !== "left") return [];
      const { method, path, purpose } = seen;
      const isAllowed =
        purpose === "read"
          ? method === "GET"
          : MAY_ACT.some((one) => one.method === method && one.path.test(path));
      return isAllowed ? [] : [`${method} ${path} left to ${purpose}, and is not allow-listed`];
    },
  };
}
