import fc from "fast-check";
import { expect, it } from "vitest";
import { ruleHashes } from "../../src/core/change/reload.ts";
import type { Alert } from "../../src/domain/alert.ts";
import type { Rule } from "../../src/domain/rule.ts";
import { SECOND } from "../../src/domain/time.ts";
import { factIs, policyOf, rule } from "../core/fixtures.ts";
import { acting, Chaos, rules } from "./core-chaos.ts";
import { happening, type Happening } from "./core-happenings.ts";

const asked = process.env["PROPERTY_RUNS"];
const runs = asked === undefined ? { numRuns: 60, seed: 42 } : { numRuns: Number(asked) };

/** Which of the chaos's rules are there, and as what, and how long `for` of the one beside them is. */
type Reload = {
  readonly do: "reload";
  readonly kept: readonly boolean[];
  readonly changed: readonly boolean[];
  readonly extraForSeconds: number | undefined;
};

const flags = fc.array(fc.boolean(), { minLength: rules.length, maxLength: rules.length });
const reload: fc.Arbitrary<Reload> = fc.record({
  do: fc.constant("reload"),
  kept: fc.oneof(fc.constant(rules.map(() => true)), flags),
  changed: fc.oneof(fc.constant(rules.map(() => false)), flags),
  extraForSeconds: fc.option(fc.nat({ max: 20 }), { nil: undefined }),
});

const happenings = fc.array(
  fc.oneof<[fc.Arbitrary<Happening>, fc.Arbitrary<Reload>]>(
    { weight: 9, arbitrary: happening } as never,
    { weight: 1, arbitrary: reload } as never,
  ),
  { minLength: 20, maxLength: 120, size: "max" },
);

function rulesAfter({ kept, changed, extraForSeconds }: Reload): Rule[] {
  const own = rules.flatMap((one, index) => {
    if (kept[index] !== true) return [];
    return [changed[index] === true ? { ...one, forMs: 20 * SECOND, hash: "changed" } : one];
  });
  if (extraForSeconds === undefined) return own;
  const when = factIs("status", "enabled");
  const forMs = extraForSeconds * SECOND;
  return [...own, rule({ alert: "Extra", when, forMs, hash: `extra ${extraForSeconds}` })];
}

/** All of an alert but why it is held back just now, which other settings may change. */
function lifeOf({ suppressed: _suppressed, ...life }: Alert): Omit<Alert, "suppressed"> {
  return structuredClone(life);
}

it("a reload never touches an alert of an unchanged rule, nor loses what was sent", () => {
  let untouched = 0;
  let reset = 0;
  fc.assert(
    fc.property(happenings, (what) => {
      const chaos = new Chaos();
      const { world } = chaos;
      world.starts();
      for (const each of what) {
        if (each.do !== "reload") {
          chaos.happen(each);
          continue;
        }
        if (world.crashed) world.restarts("1s");
        const { tables } = world.state;
        const rulesBefore = ruleHashes(world.policy.rules);
        const before = new Map([...tables.alert].map(([key, alert]) => [key, lifeOf(alert)]));
        const sent = structuredClone([...tables.remediation]);
        const found = world.findings.length;
        world.policy = policyOf(rulesAfter(each), acting);
        world.tell({ type: "policy_changed", rulesBefore, moved: [] });
        for (const [key, life] of before) {
          const name = key.split("|")[0] ?? "";
          if (world.policy.rules.get(name)?.hash !== rulesBefore.get(name)) continue;
          untouched += 1;
          expect(lifeOf(tables.alert.get(key) as Alert)).toEqual(life);
        }
        expect([...tables.remediation]).toEqual(sent);
        for (const alert of tables.alert.values()) {
          const own = world.policy.rules.get(alert.rule);
          if (alert.state !== "resolved") expect(own?.kind).toBe(alert.entity.kind);
          expect(world.state.firing.has(alert.key)).toBe(alert.state === "firing");
        }
        reset += world.findings
          .slice(found)
          .filter(
            (one) =>
              one.type === "alert" &&
              one.change === "pending" &&
              before.get(one.alert.key)?.state === "firing",
          ).length;
      }
    }),
    runs,
  );
  // It did meet what it is about.
  expect(untouched).toBeGreaterThan(50);
  expect(reset).toBeGreaterThan(5);
});
