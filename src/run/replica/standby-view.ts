import { countCovered } from "../../core/change/holds.ts";
import { entityKey, type EntityId } from "../../domain/entity.ts";
import { fail } from "../../domain/result.ts";
import { counted } from "../../domain/wording.ts";
import { formatDuration, SECOND, type Millis } from "../../domain/time.ts";
import { createApp } from "../../io/api/server.ts";
import type { ServerSource } from "../../io/api/server-source.ts";
import { readingOf } from "../../io/postgres/journal.ts";
import { PROCESS_STARTED_AT, steadyNow, systemClock } from "../../io/process/clock.ts";
import { createService, type Service, type ServiceWorld } from "../service/service.ts";
import { createPast } from "../service/past.ts";
import { LEFT_TO_HOME } from "../units/unit-setup.ts";
import { createRowCopy, joinCopies, MOST_ROWS, type JoinedCopy, type RowCopy } from "./row-copy.ts";
import { backUpOf, type SharedWorld } from "./shared-world.ts";

/**
 * What a replica shows while another acts: the same pages and answers, made from what the database holds. It is read
 * when somebody asks, so that a standby costs the database next to nothing.
 */
export type StandbyView = {
  /** As of now, or of a few seconds ago. Rejects if the database has never been read and is away. */
  readonly app: () => Promise<App>;
  /** What it says about itself, independent of the database. */
  readonly itself: () => Promise<App>;
  readonly close: () => Promise<void>;
};

type App = ReturnType<typeof createApp>;

type StandbyNow = {
  /** Why the database cannot be used; undefined if it can. */
  readonly problem: () => string | undefined;
  /** What hangs here, if anything does: a restart may help. */
  readonly hangs: () => readonly string[];
  /** The units of senders, whose rows are shown too. */
  readonly units: readonly string[];
  /** What the units know that are owned here, which is more than their rows. */
  readonly owned: () => ReadonlyArray<Pick<ServerSource, "idle" | "view" | "explain" | "polls">>;
  /** What this replica is to the others. */
  readonly role: () => string;
  readonly command: ServerSource["command"];
};

/** What was read is shown for this long, or for this many times the time that reading it took. */
const SHOWN_FOR: Millis = 2 * SECOND;
const SHOWN_TIMES = 10;

export function createStandbyView(world: SharedWorld, now: StandbyNow): StandbyView {
  const { database } = world;
  const copy = joinCopies([
    createRowCopy(world.journal),
    ...now.units.map((unit) => createRowCopy(readingOf(database, unit))),
  ]);
  let shown: { readonly service: Service; readonly app: App } | undefined;
  let tookMs: Millis = 0;
  let reading: Promise<App> | undefined;
  // The view is remade again and again, but a question about the past takes longer than one view lasts.
  const { close: closePast, ...past } = createPast(
    () => {
      if (shown === undefined) throw new Error("nothing has been read yet");
      return shown.service.loop;
    },
    world.journal,
    systemClock().now,
  );
  const instead = { ...insteadOf(now, copy), ...past };
  const itself = createItself(world, instead);

  async function read(): Promise<App> {
    const began = steadyNow();
    const isNew = await copy.refresh();
    if (shown !== undefined && !isNew) return shown.app;
    const before = shown;
    const service = await idleService(world, { rows: copy.rows, instead });
    shown = { service, app: createApp(toAllUnits(withOwnStart(service.source), now)) };
    tookMs = steadyNow() - began;
    await before?.service.close();
    return shown.app;
  }

  return {
    itself: itself.app,
    app: async () => {
      const isFresh = copy.ageMs() < Math.max(SHOWN_FOR, tookMs * SHOWN_TIMES);
      if (shown !== undefined && isFresh) return shown.app;
      reading ??= read().finally(() => {
        reading = undefined;
      });
      try {
        return await reading;
      } catch (error) {
        // The rows read before are shown with their age.
        if (shown !== undefined) return shown.app;
        throw error;
      }
    },
    close: async () => {
      await reading?.catch(() => undefined);
      await closePast();
      await shown?.service.close();
      await itself.close();
      shown = undefined;
    },
  };
}

/** What a replica says of itself, also if there is no database: it watches nothing, so no entity is in its metrics. */
function createItself(world: SharedWorld, instead: Partial<ServerSource>) {
  let service: Promise<Service> | undefined;
  const make = async (): Promise<Service> => {
    const { setup } = world.current();
    const nothing = { setup: { ...setup, aggregators: [], rules: [] }, sources: undefined };
    const reading = { ...world.journal, findings: () => [] };
    const alone = { ...world, current: () => nothing };
    return await idleService(alone, { rows: () => [], instead, reading });
  };
  let app: App | undefined;
  return {
    app: async (): Promise<App> => {
      service ??= make();
      return (app ??= createApp(world.shown((await service).source)));
    },
    close: async (): Promise<void> => await (await service)?.close(),
  };
}

/** A daemon that has what the database holds, and never begins. */
async function idleService(
  world: SharedWorld,
  {
    rows,
    instead,
    reading = world.journal,
  }: Pick<ServiceWorld, "instead"> & {
    readonly rows: RowCopy["rows"];
    readonly reading?: ServiceWorld["reading"];
  },
): Promise<Service> {
  const { setup } = world.current();
  return createService(setup, undefined, {
    journal: () => ({
      rows,
      commitLater: async () =>
        await Promise.resolve(fail({ kind: "unavailable", detail: "a standby writes nothing" })),
    }),
    reading,
    lastAt: undefined,
    backUp: backUpOf(world),
    own: { replica: world.reading },
    isShownOnly: true,
    instead,
  });
}

/** One that only shows what is known never began: how long its process runs is what people ask for. */
function withOwnStart(source: ServerSource): ServerSource {
  const startedAt = PROCESS_STARTED_AT;
  return {
    ...source,
    overview: () => ({ ...source.overview(), startedAt }),
    status: () => ({ ...source.status(), startedAt }),
  };
}

/**
 * A hold or a silence is applied by one unit, but what it covers is counted in all units that are shown here. Why
 * something is so, and how its polls went, the owner knows best.
 */
function toAllUnits(source: ServerSource, { units, owned, command }: StandbyNow): ServerSource {
  if (units.length === 0) return source;
  return {
    ...source,
    explain: async (rule, entity, at) => {
      const own = at === undefined ? await ownExplained(owned(), rule, entity) : undefined;
      return own ?? (await source.explain(rule, entity, at));
    },
    polls: {
      of: (...poller) => {
        const known = owned().map(({ polls }) => polls.of(...poller));
        return known.find(({ minutes }) => minutes.length > 0) ?? source.polls.of(...poller);
      },
    },
    command: (by, reason, asked) => {
      const isScoped = asked.name === "hold" || asked.name === "silence";
      const covered = isScoped ? { covered: countCovered(source.view(), asked.scope) } : {};
      return command(by, reason, { ...asked, ...covered });
    },
  };
}

/** What the unit here that watches the entity says; undefined if none does. */
async function ownExplained(
  owned: ReturnType<StandbyNow["owned"]>,
  rule: string,
  entity: EntityId,
): Promise<Awaited<ReturnType<ServerSource["explain"]>> | undefined> {
  // Each unit has one of its own, which knows a part of the pollers.
  if (LEFT_TO_HOME.has(entity.kind)) return undefined;
  for (const { idle, view, explain } of owned) {
    await idle();
    if (!view().entities.has(entityKey(entity))) continue;
    const answer = await explain(rule, entity, undefined);
    return answer.ok ? answer : undefined;
  }
  return undefined;
}

export function noDatabase(problem: string): string {
  return `the database cannot be used: ${problem}`;
}

/** Where a standby's answers differ from the owner's. */
function insteadOf(
  { problem: problemNow, hangs, role, command }: StandbyNow,
  { ageMs, leftOut }: JoinedCopy,
): Partial<ServerSource> {
  return {
    role,
    unhealthy: hangs,
    unready: () => {
      const problem = problemNow();
      return problem === undefined ? [] : [noDatabase(problem)];
    },
    unread: () => [],
    replica: () => {
      const age = formatDuration(Math.round(ageMs() / SECOND) * SECOND);
      return `${role()}. What is shown was read from the database ${age} ago.`;
    },
    notices: () => {
      const problem = problemNow();
      const most = `the others have more than ${MOST_ROWS} rows`;
      return [
        ...(problem === undefined ? [] : [noDatabase(problem)]),
        ...(leftOut() === 0
          ? []
          : [`${counted(leftOut(), "unit")} of senders not shown: ${most}.`]),
      ];
    },
    command,
    reload: () => fail(`${role()}: it reads config and rules when it takes over. Ask the owner.`),
  };
}
