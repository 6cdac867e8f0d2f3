import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { PostgresSettings } from "../../config/settings/journal.ts";
import { succeed, type Result } from "../../domain/result.ts";
import { HOME } from "../../domain/lease.ts";
import { SECOND, type Millis } from "../../domain/time.ts";
import { loadAdapter } from "../../io/http/app-server.ts";
import { openDatabase, type Database } from "../../io/postgres/database.ts";
import type { Cleanup } from "../../io/process/lifecycle.ts";
import { settleWithin } from "../../io/process/settle-within.ts";
import type { Loop } from "../loop.ts";
import { serve } from "../servers.ts";
import type { WatchdogSetup } from "../setup.ts";
import type { Watchdog, WatchdogOptions } from "../service/running.ts";
import { createSeenUnits, WATCHED_ELSEWHERE } from "../units/seen-units.ts";
import { startSharding } from "../units/sharding.ts";
import { shareSources } from "../units/shared-sources.ts";
import { checkClock, LOOK_EVERY } from "./clock-check.ts";
import { prepareDatabase } from "./prepared-database.ts";
import { runUnit, type RunningUnit, type UnitWorld } from "./run-unit.ts";
import { createShownWorld } from "./shown-world.ts";

/** A watchdog that shares its journal with others: one of them acts, the others stand by, show and take over. */
export async function startShared(
  setup: WatchdogSetup,
  { sources, guard, signal }: WatchdogOptions,
  { url, urlFile, replica: named, leaseMs }: PostgresSettings,
  cleanup: Cleanup,
): Promise<Result<Watchdog, string>> {
  const { log, settings } = setup;
  const { shards } = settings.journal;
  const name = named ?? hostname();
  const open = async (connections: number): Promise<Database> => {
    const options = { name: `aggwatch ${name}`, connections, urlFile };
    const opened = await openDatabase(url.reveal(), options);
    cleanup.add("database", opened.close);
    return opened;
  };
  const writing = await open(WRITING + Math.min(shards, MOST_MORE_WRITING));
  const prepared = await prepareDatabase(writing, shards);
  if (!prepared.ok) return prepared;
  const { guarded, refused, stop } = prepared.value;
  const [database, writer] = [guarded(await open(READING)), guarded(writing)];
  cleanup.add("preparing", stop);
  const broken = Promise.withResolvers<unknown>();
  void refused.then(broken.resolve);
  const owner = `${name}/${randomBytes(4).toString("hex")}`;
  const share = sources && shareSources(sources);
  const worldOf = (unit: string): Omit<UnitWorld, "shown" | "others"> => ({
    name,
    owner,
    database,
    writer,
    leaseMs,
    setup,
    sourcesOf: (part) => share?.(part),
    onBroken: broken.resolve,
    onBegun: () => {
      if (unit === HOME && shards === 0) void shown.closeView();
    },
  });
  const clock = checkClock(database, log);
  const shown = createShownWorld(
    setup,
    clock.notices,
    // What traces was opened at the start, and goes on.
    share?.((whole) => ({ ...whole, tracing: setup.tracing })),
  );
  await loadAdapter();
  const server = await serve(shown, settings.listen, signal);
  if (!server.ok) return server;
  cleanup.add("server", server.value.close);
  const seen = shards === 0 ? undefined : createSeenUnits(writer, shards);
  const home = runUnit(HOME, { ...worldOf(HOME), shown: shown.ofHome, others: seen?.others });
  const units =
    seen &&
    startSharding({ owner, shards, leaseMs, database, writer, log, home, seen }, (unit) =>
      runUnit(unit, { ...worldOf(unit), shown: (alone) => alone, others: () => WATCHED_ELSEWHERE }),
    );
  cleanup.add("files", shown.begin(home, units));
  void clock.look();
  const looking = setInterval(() => void clock.look(), LOOK_EVERY);
  cleanup.add("clock", () => clearInterval(looking));
  const beating = setInterval(() => guard?.beat(), BEAT_EVERY);
  cleanup.add("view", shown.closeView);
  cleanup.add("replica", async () => {
    await Promise.all([home.stop(), units?.stop()]);
  });
  cleanup.add("commands", shown.endCommands);
  cleanup.add("beats", () => clearInterval(beating));
  if (guard !== undefined) cleanup.add("guard", guard.stop);
  await tellStart(home, { url: server.value.url, replica: name }, log);
  const loop = (): Loop => {
    const service = home.life()?.service();
    if (service === undefined) throw new Error("another replica owns the journal");
    return service.loop;
  };
  return succeed({ url: server.value.url, loop, broken: broken.promise, stop: cleanup.run });
}

/** Its role at the start: the owner, or a standby, with the holder of the lease if known. */
async function tellStart(
  { asked, lease, holder }: RunningUnit,
  own: { readonly url: string; readonly replica: string },
  log: WatchdogSetup["log"],
): Promise<void> {
  await settleWithin([asked], TOLD_WITHIN);
  if (lease() === undefined) log.info({ ...own, holder: holder() }, "standing by");
  else log.info(own, "watching");
}

/** How long the log waits to name the address: a database that does not answer must not prevent that. */
const TOLD_WITHIN: Millis = SECOND;

/**
 * How often the guard is told that the event loop turns. If only the work as the owner hangs, the replica itself has to
 * notice: it drops that work, and another replica takes over.
 */
const BEAT_EVERY = 500;
/** Connections for what is shown: readers wait for each other, and for nothing else. */
const READING = 4;
/** Each unit commits, and renews its lease, for itself. */
const WRITING = 2;
const MOST_MORE_WRITING = 8;
