import type { createApp } from "../../io/api/server.ts";
import type { ServerSource } from "../../io/api/server-source.ts";
import { joinPages } from "../../io/metrics/join-pages.ts";
import { askOwner } from "../../io/postgres/commands.ts";
import { messageOf } from "../../domain/error-message.ts";
import type { Reloading } from "../reloading.ts";
import type { Service } from "../service/service.ts";
import type { Sources, WatchdogSetup } from "../setup.ts";
import { unitOfCommand } from "../units/command-unit.ts";
import { unownedLine, type Units } from "../units/units.ts";
import { journalProblem } from "../work.ts";
import { HOME } from "../../domain/lease.ts";
import { createShownInForce } from "./in-force.ts";
import { roleOf } from "./role.ts";
import type { RunningUnit } from "./run-unit.ts";
import {
  createStandbyView,
  noDatabase,
  type StandbyNow,
  type StandbyView,
} from "./standby-view.ts";

type App = ReturnType<typeof createApp>;

/** What a replica serves: its own doings, and of all that is watched what it owns itself or the database holds. */
type ShownWorld = Pick<App, "fetch"> & {
  /** What `home` shows, with what the units of senders that are owned here add. */
  readonly ofHome: (alone: ServerSource) => ServerSource;
  /** To be called once, before anything is asked; gives what ends that the files are read when they change. */
  readonly begin: (home: RunningUnit, units: Units | undefined) => () => void;
  readonly closeView: () => Promise<void>;
  /** Ends the wait for what other replicas answer to commands; each is answered with what is known. */
  readonly endCommands: () => void;
};

/**
 * What a replica says of itself, or does. What stops all actions is here, as it waits for nothing that is shown: a million
 * rows take long to read, or cannot be read.
 */
const OF_ITSELF = new Set(["/healthz", "/readyz", "/metrics", "/-/reload", "/api/v1/kill"]);

/**
 * A backtest covers all units, so it is none of `home`, which would not know of it. A viewer of events stays, so it would
 * miss all other units once the database is back.
 */
const OF_ALL_UNITS: ReadonlySet<string> = new Set(["/api/v1/backtest", "/api/v1/events"]);

export function createShownWorld(
  setup: WatchdogSetup,
  /** What this replica says of itself, in either role. */
  ofReplica: () => readonly string[],
  /** Those of the whole, for what is shown of all units. */
  sources: Sources | undefined,
): ShownWorld {
  const { shards } = setup.settings.journal;
  let isOwner = (): boolean => false;
  const whole = createShownInForce(setup, sources, () => isOwner());
  const current = () => ({ setup: whole.setup(), sources, failed: whole.failed() });
  const ending = new AbortController();
  const parts = Promise.withResolvers<{ home: RunningUnit; now: ReturnType<typeof nowOf> }>();
  let view: StandbyView | undefined;
  let ofHome: ShownWorld["ofHome"] = (alone) => alone;

  async function appOf(path: string): Promise<App> {
    const { home, now } = await parts.promise;
    const shown = (view ??= createStandbyView({ ...home.world, current }, now));
    const own = home.life()?.app();
    if (OF_ITSELF.has(path)) return own ?? (await shown.itself());
    if (own === undefined) return await shown.app();
    if (shards === 0) return own;
    // What others own is known from the database; without it, only what this replica owns is shown.
    if (home.problem() !== undefined && !OF_ALL_UNITS.has(path)) return own;
    return await shown.app().catch(() => own);
  }

  return {
    fetch: async (request, ...others) => {
      const path = new URL(request.url).pathname;
      try {
        return await (await appOf(path)).fetch(request, ...others);
      } catch (error) {
        return unavailable(path, messageOf(error));
      }
    },
    ofHome: (alone) => ofHome(alone),
    begin: (home, units) => {
      const now = nowOf({ home, units, shards, whole, ofReplica, ending: ending.signal });
      // Whoever gave a command looks next whether it is so.
      const command: typeof now.command = async (...asked) =>
        await now.command(...asked).finally(() => view?.expire());
      const all: ShownWorld["ofHome"] =
        units === undefined ? (alone) => alone : withUnits(home, units, { ...now, command });
      ofHome = (alone) => withOwn(all(alone), now.hangs, ofReplica);
      isOwner = () => home.life() !== undefined;
      parts.resolve({ home, now });
      return whole.listen();
    },
    closeView: async () => {
      const closing = view;
      view = undefined;
      await closing?.close();
    },
    endCommands: () => ending.abort(),
  };
}

function unavailable(path: string, message: string): Response {
  return path.startsWith("/api/")
    ? Response.json({ error: message }, { status: 503 })
    : new Response(`${message}\n`, { status: 503 });
}

type ReplicaParts = {
  readonly home: RunningUnit;
  readonly units: Units | undefined;
  readonly shards: number;
  /** The config and rules of what is shown. */
  readonly whole: Reloading;
  readonly ofReplica: () => readonly string[];
  /** Of this replica. */
  readonly ending: AbortSignal;
};

/** What this replica is to the others, and how operators' commands reach who decides on them. */
function nowOf({ home, units, shards, whole, ofReplica, ending }: ReplicaParts) {
  const { name, writer } = home.world;
  const running = (): readonly RunningUnit[] => units?.running() ?? [];
  const owned = () =>
    [home, ...running()].flatMap(({ unit, life }) => {
      const service = life()?.service();
      return service === undefined ? [] : [{ unit, source: service.source }];
    });
  const command = async (...[by, reason, asked]: Parameters<ServerSource["command"]>) => {
    const unit = unitOfCommand(asked, shards);
    const own = owned().find((one) => one.unit === unit);
    if (own !== undefined) return await own.source.command(by, reason, asked);
    return await askOwner(writer, unit, { by, reason, command: asked }, ending);
  };
  const role = (): string => {
    const ofHome = roleOf(name, home.world.reading(), home.holder());
    if (units === undefined) return ofHome;
    const own = running().flatMap(({ unit, life }) => (life() === undefined ? [] : [unit]));
    return `${ofHome}; of ${shards} units of senders: ${own.join(", ") || "none"}`;
  };
  const hangs = (): readonly string[] =>
    [home, ...running()].flatMap(({ unit, fault }) => {
      const found = fault();
      return found === undefined ? [] : [`${unit}: ${found}`];
    });
  const notices = (): readonly string[] => [
    ...ofReplica(),
    ...owned().flatMap(({ unit, source }) =>
      source.notices().map((line) => (unit === HOME ? line : `${unit}: ${line}`)),
    ),
    // The owner says it itself.
    ...(home.life() === undefined ? whole.notices() : []),
    ...unownedLines(units),
  ];
  return {
    problem: home.problem,
    hangs,
    notices,
    units: units?.names ?? [],
    owned: () => owned().map(({ source }) => source),
    role,
    command,
    reload: (by, dryRun) => whole.reload(`${by}, by POST /-/reload`, dryRun),
  } satisfies StandbyNow;
}

function withOwn(
  source: ServerSource,
  hangs: () => readonly string[],
  ofReplica: () => readonly string[],
): ServerSource {
  return {
    ...source,
    unhealthy: () => [...new Set([...hangs(), ...source.unhealthy()])],
    notices: () => [...new Set([...ofReplica(), ...source.notices()])],
  };
}

function withUnits(
  home: RunningUnit,
  units: Units,
  { role, command }: Pick<ReturnType<typeof nowOf>, "role" | "command">,
): ShownWorld["ofHome"] {
  const services = (): ReadonlyArray<readonly [unit: string, service: Service]> =>
    units.running().flatMap(({ unit, life }) => {
      const service = life()?.service();
      return service === undefined ? [] : [[unit, service] as const];
    });
  const ofEach = (what: (source: ServerSource) => readonly string[]): readonly string[] =>
    services().flatMap(([unit, { source }]) => what(source).map((line) => `${unit}: ${line}`));
  return (alone) => ({
    ...alone,
    role,
    command,
    unhealthy: () => [...alone.unhealthy(), ...ofEach(({ unhealthy }) => unhealthy())],
    unready: () => [...alone.unready(), ...unwritten(services())],
    unread: () => [...alone.unread(), ...ofEach(({ unread }) => unread())],
    // A standby says of itself what its units say, too.
    notices: () => [
      ...new Set([
        ...alone.notices(),
        ...notShown(home.problem()),
        ...ofEach(({ notices }) => notices()),
        ...unownedLines(units),
      ]),
    ],
    metrics: async (format) => {
      const own = await alone.metrics(format);
      const pages = await Promise.all(
        services().map(async ([unit, { source }]) => ({
          unit,
          page: await source.metrics(format),
        })),
      );
      const shown = new Set(pages.map(({ unit }) => unit));
      const unowned = units.names.filter((unit) => !shown.has(unit));
      return joinPages(format, own, pages, unowned);
    },
    reload: (by, dryRun) => {
      const others = services().map(([, { source }]) => source.reload(by, dryRun));
      const own = alone.reload(by, dryRun);
      return home.life() === undefined ? (others[0] ?? own) : own;
    },
  });
}

function unownedLines(units: Units | undefined): readonly string[] {
  return (units?.unowned() ?? []).map(unownedLine);
}

/** A replica is ready even if a unit has not polled yet: units move, and most of what it shows is of others. */
function unwritten(
  services: ReadonlyArray<readonly [unit: string, service: Service]>,
): readonly string[] {
  return services.flatMap(([unit, { loop }]) => {
    const problem = journalProblem(loop);
    return problem === undefined ? [] : [`${unit}: ${problem}`];
  });
}

function notShown(problem: string | undefined): readonly string[] {
  if (problem === undefined) return [];
  return [`what the units of senders watch is not shown: ${noDatabase(problem)}`];
}
