import { createApp } from "../../io/api/server.ts";
import { messageOf } from "../../domain/error-message.ts";
import { createCleanup } from "../../io/process/lifecycle.ts";
import { answerCommands, type Unanswered } from "../../io/postgres/commands.ts";
import { SECOND, type Millis } from "../../domain/time.ts";
import { HOME } from "../../domain/lease.ts";
import { createService, type Service } from "../service/service.ts";
import { withTakenNames } from "../units/taken-names.ts";
import { pruned, withoutFindingsOfHome } from "./owned-journal.ts";
import type { Owned, OwnerLife } from "./replica.ts";
import { roleOf } from "./role.ts";
import { backUpOf, type SharedWorld } from "./shared-world.ts";

/** How often the commands that were given to other replicas are looked for; there may be many units of senders. */
const COMMANDS_EVERY: Millis = 250;
const SENDERS_COMMANDS_EVERY: Millis = SECOND;

/** What a replica does while it has the lease: all that a daemon does. */
export type OwningLife = OwnerLife & {
  /** Undefined until it has begun. */
  readonly service: () => Service | undefined;
  readonly app: () => ReturnType<typeof createApp> | undefined;
};

export function beginLife(
  world: SharedWorld,
  { lease, journal, onTurn, onFenced, onUnable }: Owned,
  onBegun: (service: Service) => void,
): OwningLife {
  const { log } = world;
  const cleanup = createCleanup((name, error) => log.error({ err: error, name }, "cleanup failed"));
  let service: Service | undefined;
  let app: ReturnType<typeof createApp> | undefined;
  const isHome = world.unit === HOME;

  async function begin(): Promise<void> {
    const { setup, sources, failed } = world.current();
    const written = isHome ? journal : withoutFindingsOfHome(journal, setup.notify.leftToHome);
    const made = createService(setup, sources, {
      journal: pruned(written, world, () => made.clock.now()),
      reading: world.journal,
      backUp: backUpOf(world),
      notDeleted: world.notDeleted,
      onTick: onTurn,
      others: world.others,
      own: {
        lease,
        onFenced,
        replica: world.reading,
        failedReading: failed,
        ...(isHome ? {} : OF_SENDERS),
      },
      instead: { role: () => roleOf(world.name, world.reading(), undefined) },
    });
    cleanup.add("service", made.close);
    const named = isHome ? made : { ...made, source: withTakenNames(made.source, ofUnit(world)) };
    service = named;
    made.begin(cleanup);
    cleanup.add("commands", answerOthers(world, lease.epoch, named));
    onBegun(named);
  }

  const begun = begin().catch((error: unknown) => {
    log.error({ err: error }, "this replica cannot act: it hands over");
    onUnable(`it could not begin: ${messageOf(error)}`);
  });
  return {
    service: () => service,
    app: () =>
      service === undefined ? undefined : (app ??= createApp(world.shown(service.source))),
    stop: async () => {
      await begun;
      await cleanup.run();
    },
    abandon: () => {
      service?.abandon();
      void begun.then(cleanup.run);
    },
  };
}

function ofUnit({ unit, writer, current }: SharedWorld) {
  return { unit, shards: current().setup.settings.journal.shards, database: writer };
}

/** A unit of senders never acts, so nothing stops it. */
const OF_SENDERS = { fileExists: () => false } as const;

/** Carries out commands that operators gave to other replicas. */
function answerOthers(
  { unit, owner, writer, log }: SharedWorld,
  epoch: number,
  { source }: Service,
): () => Promise<void> {
  let looking: Promise<void> | undefined;
  const unanswered: Unanswered = new Map();
  const apply: Parameters<typeof answerCommands>[2] = (asked) => {
    const { by, reason, command } = asked;
    return source.command(by, reason, command);
  };
  const look = async (): Promise<void> => {
    try {
      await answerCommands(writer, { unit, epoch, owner }, apply, unanswered);
    } catch (error) {
      log.debug({ detail: messageOf(error) }, "commands of other replicas cannot be read");
    }
    looking = undefined;
  };
  const every = unit === HOME ? COMMANDS_EVERY : SENDERS_COMMANDS_EVERY;
  const timer = setInterval(() => void (looking ??= look()), every);
  return async () => {
    clearInterval(timer);
    await looking;
  };
}
