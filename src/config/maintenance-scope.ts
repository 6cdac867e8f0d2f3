import { kinds } from "../pollers/kinds.ts";
import { nameOf } from "./settings/resolve-aggregator.ts";
import type { SettingsCheck } from "./settings/settings.ts";
import { hintFor } from "./suggest.ts";

/**
 * Refuses a maintenance window with a misspelt name in its scope: it would hold nothing. The id need not exist, as its
 * entity may be yet to come. `rules` are the names of all rules, or undefined if not all of them could be read.
 */
export function maintenanceCheck(rules: readonly string[] | undefined): SettingsCheck {
  return ({ aggregators, maintenance }) => {
    // Without an aggregator, the key of the list is perhaps misspelt.
    const aggregator = aggregators.length === 0 ? undefined : aggregators.map(({ name }) => name);
    // A name that is set does not follow from the address.
    const namedBy = aggregators.flatMap(({ name, baseUrl }, index) => {
      const keys = name === nameOf({ baseUrl }) ? ["name", "base_url"] : ["name"];
      return keys.map((key) => ["aggregators", index, key]);
    });
    const follows = { aggregator: namedBy, kind: [], rule: [["rules"]] };
    const known = {
      aggregator,
      kind: [...kinds.keys()],
      rule: rules,
    };
    return maintenance.flatMap(({ scope }, index) =>
      (["aggregator", "kind", "rule"] as const).flatMap((key) => {
        const name = scope[key];
        const names = known[key];
        if (name === undefined || names === undefined || names.includes(name)) return [];
        return [
          {
            path: ["maintenance", index, "scope", key],
            follows: follows[key],
            message: `there is no ${key} "${name}"`,
            hint: hintFor(name, names),
          },
        ];
      }),
    );
  };
}
