import { fail } from "../../domain/result.ts";
import { toEnd } from "../../domain/slices.ts";
import { haveSameItems } from "../../domain/values/same-items.ts";
import { counted } from "../../domain/wording.ts";
import { formatDuration, SECOND } from "../../domain/time.ts";
import { createFeed } from "../../io/api/events/feed.ts";
import { createPollHistory } from "../../io/api/lists/poll-history.ts";
import { createApp } from "../../io/api/server.ts";
import type { ServerSource } from "../../io/api/server-source.ts";
import { PROCESS_STARTED_AT, systemClock } from "../../io/process/clock.ts";
import { createService, type Service, type ServiceWorld } from "../service/service.ts";
import { createPast } from "../service/past.ts";
import { admissionOf } from "../servers.ts";
import { toAllUnits, type ShownUnits } from "./all-units.ts";
import { createReading } from "./reading.ts";
import { remadeSource } from "./remade-source.ts";
import { copyOfAll, MOST_ROWS, type JoinedCopy } from "./row-copy.ts";
import { backUpOf, type SharedWorld } from "./shared-world.ts";

/**
 * What a replica shows while another acts: the same pages and answers, made from what the database holds. It is read
 * when somebody asks, or is a viewer of its events, so that a standby costs the database next to nothing.
 */
export type StandbyView = {
  /** As of now, or of a few seconds ago. Rejects if the database has never been read and is away. */
  readonly app: () => Promise<App>;
  /** What it says about itself, independent of the database. */
  readonly itself: () => Promise<App>;
  /** Something was done that what was read before does not show. */
  readonly expire: () => void;
  readonly close: () => Promise<void>;
};

type App = ReturnType<typeof createApp>;

type Instead = ReturnType<typeof insteadOf> &
  Omit<ReturnType<typeof createPast>, "close"> &
  ReturnType<typeof admissionOf> &
  Pick<ServerSource, "feed">;

export type StandbyNow = ShownUnits & {
  /** Why the database cannot be used; undefined if it can. */
  readonly problem: () => string | undefined;
  /** What hangs here, if anything does: a restart may help. */
  readonly hangs: () => readonly string[];
  /** What the units say that this replica owns, which units no replica owns, and why its files are not in force. */
  readonly notices: () => readonly string[];
  /** Reads this replica's own files. */
  readonly reload: ServerSource["reload"];
  /** What this replica is to the others. */
  readonly role: () => string;
};

export function createStandbyView(
  world: SharedWorld,
  given: StandbyNow,
  copy: JoinedCopy = copyOfAll(world.database, world.journal, given.units),
): StandbyView {
  const command: StandbyNow["command"] = async (...asked) => {
    const outcome = await given.command(...asked);
    // Whoever gave it looks next whether it is so.
    reading.expire();
    // A refusal that names what it is about is answered with that as it is now.
    if (!outcome.accepted && outcome.subject !== "") await reading.fresh();
    return outcome;
  };
  const now: StandbyNow = { ...given, command };
  let shown: Service | undefined;
  let app: App | undefined;
  const known = (): Service => {
    if (shown === undefined) throw new Error("nothing has been read yet");
    return shown;
  };
  // The service is remade again and again, but a question about the past takes longer than one of them lasts.
  const { close: closePast, ...past } = createPast(
    () => known().loop,
    world.journal,
    () => known().source.now(),
  );
  // So does a viewer's connection. For viewers the rows are read again though nothing else asks for them.
  const feed = createFeed({
    view: () => known().source.view(),
    idle: async () => await reading.fresh(),
    onError: (error) => world.log.error({ err: error }, "viewers cannot be sent what changes"),
  });
  const instead = { ...insteadOf(now, copy), ...past, ...admissionTo(world), feed };
  const itself = createItself(world, instead);

  const reading = createReading(copy.ageMs, async () => {
    const changes = await copy.refresh();
    if (shown !== undefined && changes === undefined) return false;
    const before = shown;
    shown = idleService(world, { rows: copy.rows, instead });
    toEnd(feed.note({ changes: changes ?? [], findings: "unknown" }, shown.source.view().at));
    await before?.close();
    return true;
  });
  return {
    itself: itself.app,
    expire: reading.expire,
    app: async () => {
      await reading.fresh();
      return (app ??= createApp(sourceOf(world, now, { instead, service: known })));
    },
    close: async () => {
      feed.close();
      await reading.ended();
      await closePast();
      await shown?.close();
      await itself.close();
    },
  };
}

function admissionTo({ current }: SharedWorld) {
  const server = () => current().setup.settings.server;
  return admissionOf(current().setup, server, systemClock());
}

/**
 * What a replica says of itself, also if there is no database: it watches nothing, so no entity is in its metrics. It is
 * made again if its files are others now, or can no longer be read, or if there was a bug.
 */
function createItself(world: SharedWorld, instead: Partial<ServerSource>) {
  const make = (known: readonly unknown[]) => {
    const { setup, failed } = world.current();
    const nothing = { setup: { ...setup, aggregators: [], rules: [] }, sources: undefined, failed };
    const alone = { ...world, current: () => nothing };
    const { source, close } = idleService(alone, { rows: () => [], instead });
    return { known, app: createApp(world.shown(source)), close };
  };
  let made: ReturnType<typeof make> | undefined;
  return {
    app: async (): Promise<App> => {
      const { setup, failed } = world.current();
      const known = [setup, failed, world.reading().bugs];
      const before = made;
      if (made === undefined || !haveSameItems(known, made.known)) made = make(known);
      const { app } = made;
      if (before !== made) await before?.close();
      return app;
    },
    close: async (): Promise<void> => await made?.close(),
  };
}

/** A daemon that has what the database holds, and never begins. */
function idleService(
  world: SharedWorld,
  { rows, instead }: Pick<ServiceWorld, "instead"> & Pick<JoinedCopy, "rows">,
): Service {
  const { setup, failed } = world.current();
  return createService(setup, undefined, {
    journal: {
      rows,
      commitLater: async () =>
        await Promise.resolve(fail({ kind: "unavailable", detail: "a standby writes nothing" })),
    },
    reading: world.journal,
    backUp: backUpOf(world),
    notDeleted: world.notDeleted,
    own: { replica: world.reading, failedReading: failed },
    isShownOnly: true,
    instead,
  });
}

/** What the app shows, which stays while the service is remade. */
function sourceOf(
  world: SharedWorld,
  now: StandbyNow,
  { instead, service }: { readonly instead: Instead; readonly service: () => Service },
): ServerSource {
  const { journal } = world;
  const { version } = world.current().setup;
  const polls = createPollHistory();
  const same = { ...instead, version, polls, past: journal, findings: journal.findings };
  return toAllUnits(withOwnStart(remadeSource(() => service().source, same)), now);
}

/** One that only shows what is known never began: how long its process runs is what people ask for. */
function withOwnStart(source: ServerSource): ServerSource {
  const startedAt = PROCESS_STARTED_AT;
  return {
    ...source,
    overview: () => ({ ...source.overview(), startedAt }),
    status: function* () {
      return { ...(yield* source.status()), startedAt };
    },
  };
}

export function noDatabase(problem: string): string {
  return `the database cannot be used: ${problem}`;
}

/** Where a standby's answers differ from the owner's. */
function insteadOf(
  { problem: problemNow, hangs, notices, role, command, reload }: StandbyNow,
  { ageMs, leftOut }: JoinedCopy,
) {
  const unready = (): readonly string[] => {
    const problem = problemNow();
    return problem === undefined ? [] : [noDatabase(problem)];
  };
  return {
    role,
    unhealthy: hangs,
    unready,
    unread: () => [],
    replica: () => {
      const age = formatDuration(Math.round(ageMs() / SECOND) * SECOND);
      return `${role()}. What is shown was read from the database ${age} ago.`;
    },
    notices: () => {
      const most = `the others have more than ${MOST_ROWS} rows`;
      return [
        ...unready(),
        ...(leftOut() === 0
          ? []
          : [`${counted(leftOut(), "unit")} of senders not shown: ${most}.`]),
        ...notices(),
      ];
    },
    command,
    reload,
  } satisfies Partial<ServerSource>;
}
