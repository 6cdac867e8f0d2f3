/** Tests src/io/api/past/journal-view.ts, src/io/journal/past-questions.ts, on a real journal. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AlertsJson, RemediationsJson } from "../../../../src/io/api/answers.ts";
import { viewOf } from "../../../../src/io/api/lists/view.ts";
import { journalView } from "../../../../src/io/api/past/journal-view.ts";
import { createApp } from "../../../../src/io/api/server.ts";
import { openJournal, type Journal } from "../../../../src/io/journal/journal.ts";
import { repair, rule } from "../../../core/fixtures.ts";
import { scriptedWorld, START, type World } from "../../../core/world.ts";
import { temporaryDirectory } from "../../temporary-directory.ts";
import { sourceOf } from "../server-fixture.ts";

let directory: ReturnType<typeof temporaryDirectory>;
let journal: Journal;
let world: World;

type Shown = { readonly total: number; readonly counts: unknown; readonly rows: unknown };

/** What the world was at instants of its story, as the API said it then. */
const said = new Map<number, { readonly alerts: Shown; readonly remediations: unknown }>();

beforeEach(async () => {
  directory = temporaryDirectory();
  const opened = openJournal(directory.path);
  if (!opened.ok) throw new Error(opened.problem);
  journal = opened.value;
  world = scriptedWorld({ rules: [rule({ act: repair({ cooldownMs: 3_600_000 }) })] });
  world.onStep = (_event, { findings }) => {
    const stored = findings.map((finding) => ({ at: world.now, finding }));
    if (stored.length > 0) journal.commit({ at: world.now, changes: [], findings: stored });
  };
  said.clear();
  for (const [passes, statuses] of STORY) {
    // What is said of an instant holds at its end.
    world.now += 1;
    world.sees(
      "exchanges",
      statuses.map((status, index) => {
        const id = `E${String(index).padStart(3, "0")}`;
        return { kind: "exchange", id, facts: { name: `the ${id}`, status } };
      }),
    );
    world.passes(passes);
    said.set(world.now, { alerts: await alerts(""), remediations: await remediations("") });
  }
});

afterEach(() => {
  journal.close();
  directory.remove();
});

/** 130 exchanges: more than are read at once. */
const all = (status: string): string[] => Array.from({ length: 130 }, () => status);
const STORY = [
  ["5s", ["disabled", ...all("enabled")]],
  ["5s", all("disabled")],
  ["5s", ["disabled", "disabled", ...all("enabled")]],
  ["40m", all("enabled")],
] as const;

const iso = (at: number): string => new Date(at).toISOString();

async function ask(path: string): Promise<Response> {
  return await createApp(sourceOf(world, { past: journal })).request(path);
}

async function alerts(query: string): Promise<Shown> {
  const reply = await ask(`/api/v1/alerts?limit=1000&sort=entity&${query}`);
  const { alerts: rows, counts, total } = (await reply.json()) as AlertsJson;
  return { total, counts, rows };
}

async function remediations(query: string): Promise<unknown> {
  const reply = await ask(`/api/v1/remediations?${query}`);
  return ((await reply.json()) as RemediationsJson).remediations;
}

describe("a list as of an instant that is past", () => {
  it("says what the same list said then", async () => {
    expect(said.size).toBe(STORY.length);
    for (const [at, then] of said) {
      expect(await alerts(`at=${iso(at)}`), iso(at)).toEqual(then.alerts);
      expect(await remediations(`at=${iso(at)}`), iso(at)).toEqual(then.remediations);
    }
    expect([...said.values()].map(({ alerts: { total } }) => total)).toEqual([1, 130, 130, 0]);
  });

  it("calls entities what people call them", async () => {
    const [then] = said.keys();
    for (const path of ["alerts", "remediations", "timeline"]) {
      const reply = await ask(`/api/v1/${path}?at=${iso(then ?? 0)}&entity=exchange/E000`);
      const rows = Object.values((await reply.json()) as object).findLast(Array.isArray);
      expect(rows, path).not.toEqual([]);
      for (const row of rows ?? []) expect(row, path).toMatchObject({ alias: "the E000" });
    }
  });

  it("is refused if that is not kept, or cannot be said", async () => {
    const before = await ask(`/api/v1/alerts?at=${iso(START - 1)}`);
    expect([before.status, await before.json()]).toEqual([
      410,
      { error: `not kept: the journal looks back to ${iso(START + 1)} only` },
    ]);
    for (const path of ["entities", "pollers", "overview", "rules"]) {
      const reply = await ask(`/api/v1/${path}?at=${iso(world.now)}`);
      expect(reply.status, path).toBe(410);
      expect(JSON.stringify(await reply.json())).toContain("not kept");
    }
    expect((await ask("/api/v1/alerts?at=noon")).status).toBe(400);
  });

  it("is answered later, and says when, if too many ask for different instants at once", async () => {
    const waiting = Promise.withResolvers<undefined>();
    const app = createApp(
      sourceOf(world, { past: { ...journal, reachesBackTo: () => waiting.promise } }),
    );
    const asked = Array.from({ length: 7 }, (_, index) => iso(world.now - index));
    const paths = asked.map((at) => `/api/v1/alerts?at=${at}`);
    const replies = paths.map(async (path) => await app.request(path));
    const last = await replies.at(-1);
    expect([last?.status, last?.headers.get("retry-after")]).toEqual([503, "2"]);
    waiting.resolve(undefined);
    const others = await Promise.all(replies.slice(0, -1));
    expect(others.map(({ status }) => status)).toEqual([410, 410, 410, 410, 410, 410]);
  });
});

it("lists a remediation that a hundred thousand findings followed", async () => {
  const at = [...said.keys()].at(-1) ?? 0;
  const finding = { type: "entity", change: "appeared", entity: ENTITY, detail: "" } as const;
  const findings = Array.from({ length: 100_500 }, () => ({ at, finding }));
  journal.commit({ at, changes: [], findings });
  expect(await remediations(`at=${iso(at)}`)).toEqual(said.get(at)?.remediations);
});

it("keeps the remediations of one instant in the order in which they were made", async () => {
  const at = [...said.keys()].at(-1) ?? 0;
  const ids = ["r101", "r102", "r103"];
  const [made] = world.state.tables.remediation.values();
  if (made === undefined) throw new Error("nothing was repaired");
  const findings = ids.map((id) => {
    const remediation = { ...made, id, requestedAt: at };
    return { at, finding: { type: "remediation", remediation, detail: "" } as const };
  });
  journal.commit({ at, changes: [], findings });
  const view = await journalView(
    { view: () => viewOf(world.policy, world.state), now: () => world.now, past: journal },
    at,
  );
  expect(view.ok && [...view.value.remediations.keys()].slice(-3)).toEqual(ids);
});

const ENTITY = { aggregator: "main", kind: "exchange", id: "E000" };
