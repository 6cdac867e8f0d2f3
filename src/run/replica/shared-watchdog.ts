import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { PostgresSettings } from "../../config/settings/journal.ts";
import { succeed, type Result } from "../../domain/result.ts";
import { openDatabase } from "../../io/postgres/database.ts";
import { postgresJournal } from "../../io/postgres/journal.ts";
import { HOME, leaseStore } from "../../io/postgres/lease.ts";
import { migrate } from "../../io/postgres/schema.ts";
import { messageOf } from "../../io/process/error-message.ts";
import type { Cleanup } from "../../io/process/lifecycle.ts";
import type { Logger } from "../../io/process/log.ts";
import type { Loop } from "../loop.ts";
import { serve } from "../servers.ts";
import type { Sources, WatchdogSetup } from "../setup.ts";
import type { Watchdog, WatchdogOptions } from "../service/running.ts";
import { beginLife, type OwningLife } from "./owner-life.ts";
import { startReplica } from "./replica.ts";
import type { SharedWorld } from "./shared-world.ts";
import { createStandbyView, type StandbyView } from "./standby-view.ts";

/** A watchdog that shares its journal with others: one of them acts, the others stand by, show and take over. */
export async function startShared(
  setup: WatchdogSetup,
  { sources, guard, signal }: WatchdogOptions,
  { url, replica: named, leaseMs }: PostgresSettings,
  cleanup: Cleanup,
): Promise<Result<Watchdog, string>> {
  const { log, settings } = setup;
  const name = named ?? hostname();
  const database = await openDatabase(url.reveal(), { name: `aggwatch ${name}` });
  cleanup.add("database", database.close);
  const made = await migrate(database);
  if (!made.ok) return made;
  const inForce = createInForce(setup, sources, log);
  const world: SharedWorld = {
    name,
    database,
    journal: postgresJournal(database, HOME),
    log,
    current: inForce.current,
    reading: () => {
      const lease = replica.lease();
      return {
        isOwner: replica.isOwner(),
        isDatabaseUp: replica.problem() === undefined,
        lease: lease && { epoch: lease.epoch, leftMs: lease.leftMs() },
        takeOvers,
      };
    },
    onTurn: () => guard?.beat(),
  };
  const broken = Promise.withResolvers<unknown>();
  let life: OwningLife | undefined;
  let takeOvers = 0;
  let view: StandbyView | undefined;
  const app = async (path: string) =>
    life?.app() ?? (await (view ??= createStandbyView(world, replica)).app(path));
  const server = await serve(
    {
      fetch: async (request, ...others) => {
        try {
          return await (await app(new URL(request.url).pathname)).fetch(request, ...others);
        } catch (error) {
          return new Response(`${messageOf(error)}\n`, { status: 503 });
        }
      },
    },
    settings.listen,
    signal,
  );
  if (!server.ok) return server;
  cleanup.add("server", server.value.close);
  const replica = startReplica({
    owner: `${name}/${randomBytes(4).toString("hex")}`,
    leases: leaseStore(database, HOME, leaseMs),
    lastsMs: leaseMs,
    journal: world.journal,
    live: (owned) => {
      inForce.renew();
      takeOvers += 1;
      life = beginLife(world, owned, (service) => {
        void service.broken.then(broken.resolve);
        log.info({ epoch: owned.lease.epoch, mode: service.loop.policy().acting.mode }, "acting");
        const shown = view;
        view = undefined;
        void shown?.close();
      });
      return life;
    },
    onStandby: (why) => {
      life = undefined;
      log.warn({ detail: why }, "standing by: the lease is lost");
    },
    onUnreadable: (why) => log.error({ detail: why }, "the journal cannot be read"),
  });
  const beating = setInterval(() => {
    if (life?.service() === undefined) guard?.beat();
  }, BEAT_EVERY);
  cleanup.add("view", async () => await view?.close());
  cleanup.add("replica", replica.stop);
  cleanup.add("beats", () => clearInterval(beating));
  if (guard !== undefined) cleanup.add("guard", guard.stop);
  log.info({ url: server.value.url, replica: name }, "watching");
  const loop = (): Loop => {
    const service = life?.service();
    if (service === undefined) throw new Error("another replica owns the journal");
    return service.loop;
  };
  return succeed({ url: server.value.url, loop, broken: broken.promise, stop: cleanup.run });
}

/** The guard is told that the loop turns so often, while no daemon does. */
const BEAT_EVERY = 500;

/** The settings and rules that a life begins with: those of the files, unless there are problems in them. */
function createInForce(setup: WatchdogSetup, sources: Sources | undefined, log: Logger) {
  let current = setup;
  let isFirst = true;
  return {
    current: () => ({ setup: current, sources }),
    renew: (): void => {
      const isSame = isFirst && sources?.isOutdated() !== true;
      isFirst = false;
      if (isSame || sources === undefined) return;
      const loaded = sources.load("reload");
      if (!loaded.ok) {
        log.error({ problems: loaded.problem }, "config and rules are not read anew");
        return;
      }
      loaded.value.accept();
      current = loaded.value.setup;
    },
  };
}
