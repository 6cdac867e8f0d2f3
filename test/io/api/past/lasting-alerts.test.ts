/** Tests src/core/explain/lasting-alert.ts, as src/io/api/past and src/run/loop-source.ts use it, on a real journal. */
import { describe, expect, it, onTestFinished } from "vitest";
import type { Finding } from "../../../../src/domain/finding.ts";
import type { AlertJson, AlertsJson } from "../../../../src/io/api/answers.ts";
import { createApp } from "../../../../src/io/api/server.ts";
import { openJournal } from "../../../../src/io/journal/journal.ts";
import { createLoopSource } from "../../../../src/run/loop-source.ts";
import { exchange, repair, rule } from "../../../core/fixtures.ts";
import { scriptedWorld } from "../../../core/world.ts";
import { temporaryDirectory } from "../../temporary-directory.ts";
import { entitiesThen, sourceOf } from "../server-fixture.ts";

type Statuses = Readonly<Record<string, "enabled" | "disabled">>;

/**
 * Of the first five seconds, only some findings are kept, by default none. By then one alert fires and one is pending;
 * others begin.
 */
function forgetful(isKept: (finding: Finding) => boolean = () => false) {
  const room = temporaryDirectory();
  const opened = openJournal(room.path);
  if (!opened.ok) throw new Error(opened.problem);
  const kept = opened.value;
  onTestFinished(() => {
    kept.close();
    room.remove();
  });
  const rules = [rule({ act: repair() }), rule({ alert: "Later", forMs: 12_000 })];
  const own = scriptedWorld({ rules });
  let keeps = (_finding: Finding): boolean => true;
  own.onStep = (_event, { findings }) => {
    const stored = findings.filter(keeps).map((finding) => ({ at: own.now, finding }));
    kept.commit({ at: own.now, changes: [], findings: stored });
  };
  const sees = (statuses: Statuses, isStored: typeof isKept = () => true): void => {
    keeps = isStored;
    // What is said of an instant holds at its end.
    own.now += 1;
    const listed = Object.entries(statuses).map(([id, status]) => exchange(id, status));
    own.sees("exchanges", listed).passes("5s");
  };
  sees({ A: "disabled", B: "enabled" }, isKept);
  sees({ A: "disabled", B: "disabled" });
  const { explain } = createLoopSource({
    loop: {
      askInSlices: () => Promise.resolve(undefined),
      isAbandoned: () => false,
      defect: () => undefined,
      idle: () => Promise.resolve(),
      policy: () => own.policy,
      state: () => own.state,
      stateSoFar: () => own.state,
    },
    clock: { now: () => own.now },
    journal: kept,
    lists: { sync: () => {}, reading: () => [] },
  });
  const app = createApp(sourceOf(own, { past: kept, explain, entitiesAt: entitiesThen(own) }));
  const alertsOf = async (query: string): Promise<AlertsJson["alerts"]> => {
    const reply = await app.request(`/api/v1/alerts?sort=alertname&${query}`);
    return ((await reply.json()) as AlertsJson).alerts;
  };
  const alertOf = async (id: string, query: string): Promise<AlertJson> => {
    const reply = await app.request(`/api/v1/alerts/ExchangeDisabled/bsc/exchange/${id}?${query}`);
    return (await reply.json()) as AlertJson;
  };
  const atNow = (): string => `at=${new Date(own.now).toISOString()}`;
  return { atThen: atNow(), atNow, alertsOf, alertOf, sees };
}

const named = (alerts: AlertsJson["alerts"]): string[] =>
  alerts.map(({ entity, state }) => `${entity.id} ${state}`);

describe("an alert that began before the oldest finding that is kept", () => {
  it("is shown as it was, if it lasts, but for why nothing was sent", async () => {
    const { atThen, alertsOf, sees } = forgetful();
    const told = await alertsOf("");
    expect(named(told)).toEqual(["A firing", "B firing", "A pending", "B pending"]);
    for (const status of ["disabled", "disabled", "disabled"] as const)
      sees({ A: status, B: status });
    expect((await alertsOf("entity=exchange/A")).map(({ state }) => state)).toEqual([
      "firing",
      "firing",
    ]);
    const expected = told.map((one) =>
      one.entity.id === "A" ? { ...one, suppressed: null, open_remediation: null } : one,
    );
    expect(await alertsOf(atThen)).toEqual(expected);
  });

  it("is explained as it is shown", async () => {
    const { atThen, alertOf, sees } = forgetful();
    sees({ A: "disabled", B: "disabled" });
    const { alert, explanation, sentences } = await alertOf("A", atThen);
    expect([alert?.state, explanation?.alert?.state]).toEqual(["firing", "firing"]);
    expect(explanation?.alert?.attempts).toBe(alert?.attempts);
    expect(sentences[0]).toMatch(/^ExchangeDisabled on bsc\/exchange\/A: firing since /);
    expect(sentences).toContain("The journal has no finding of how it began.");
    expect(sentences.join("\n")).not.toMatch(/no alert|nothing about it/);
    expect((await alertOf("B", atThen)).sentences.join("\n")).not.toMatch(/how it began/);
  });

  it("is not there once it has ended", async () => {
    const { atThen, alertsOf, alertOf, sees } = forgetful();
    sees({ A: "enabled", B: "disabled" });
    const shown = await alertsOf(atThen);
    expect(new Set(shown.map(({ entity }) => entity.id))).toEqual(new Set(["B"]));
    expect((await alertOf("A", atThen)).alert ?? null).toBeNull();
  });
});

it("shows an alert of which alone the finding is lost, though others of its instant are kept", async () => {
  const isOfOther = (finding: Finding): boolean => !JSON.stringify(finding).includes('"A"');
  const { atThen, alertsOf } = forgetful(isOfOther);
  expect(named(await alertsOf(atThen))).toEqual(["A firing", "B firing", "A pending", "B pending"]);
});

it("shows the run that lasts, if the journal has only the end of the one before", async () => {
  const { atNow, alertsOf, alertOf, sees } = forgetful();
  sees({ A: "enabled", B: "disabled" });
  sees({ A: "disabled", B: "disabled" }, () => false);
  const ofA = named(await alertsOf(`${atNow()}&entity=exchange/A`));
  expect(ofA).toEqual(["A firing", "A pending"]);
  const { alert, explanation } = await alertOf("A", atNow());
  expect([alert?.state, explanation?.alert?.state]).toEqual(["firing", "firing"]);
});
