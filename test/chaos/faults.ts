import type { KillAggregator } from "../kill/aggregator.ts";
import type { PostgresServer } from "../io/postgres/server.ts";
import type { Replica, Replicas } from "./replicas.ts";

/** What is done to replicas and their database. */
export type ChaosWorld = {
  readonly replicas: Replicas;
  readonly server: PostgresServer;
  readonly aggregator: KillAggregator;
};

export type Fault = {
  readonly name: string;
  /** Another replica takes over because of it. */
  readonly isTakeOver: boolean;
  /** Does it to the owner, and gives what mends it once another has taken over, or at once if none is to. */
  readonly strike: (world: ChaosWorld, owner: Replica) => Promise<() => Promise<void>>;
};

const kill = async (replica: Replica, signal: NodeJS.Signals): Promise<void> => {
  replica.isEnding = true;
  replica.life.process.kill(signal);
  if (signal !== "SIGTERM") await replica.life.ended;
};

/** Waits for the aggregator to hear so much, as a replica with nothing to do is hit at no instant that matters. */
const whenActing = async (
  { aggregator }: ChaosWorld,
  phase: "received" | "applied",
  strike: () => void,
): Promise<void> => {
  aggregator.disableExchange("KUCOIN");
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, LONGEST_WAIT_MS);
    aggregator.hear = (heard, { method }) => {
      if (heard !== phase || method !== "POST") return;
      clearTimeout(timer);
      strike();
      resolve();
    };
  });
  aggregator.hear = () => undefined;
};

/** A budget may be spent just then: the fault then comes at an instant of no matter. */
const LONGEST_WAIT_MS = 6_000;

/** The database answers again only then, although nobody looked: long enough for time-outs, shorter than a lease. */
const SHORT_MS = 1_200;
const pauseFor = async (ms: number): Promise<void> =>
  await new Promise((resolve) => setTimeout(resolve, ms));

const atOnce = (mend: () => unknown) => async (): Promise<void> => {
  await Promise.resolve(mend());
};

const restarted = (replicas: Replicas, replica: Replica) => async (): Promise<void> => {
  await replica.life.ended;
  replicas.restart(replica);
};

export const FAULTS: readonly Fault[] = [
  {
    name: "SIGKILL",
    isTakeOver: true,
    strike: async ({ replicas }, owner) => {
      await kill(owner, "SIGKILL");
      return restarted(replicas, owner);
    },
  },
  {
    name: "SIGKILL while it acts: the request has arrived",
    isTakeOver: true,
    strike: async (world, owner) => {
      await whenActing(world, "received", () => void owner.life.process.kill("SIGKILL"));
      await kill(owner, "SIGKILL");
      return restarted(world.replicas, owner);
    },
  },
  {
    name: "SIGKILL while it acts: the request has its effect",
    isTakeOver: true,
    strike: async (world, owner) => {
      await whenActing(world, "applied", () => void owner.life.process.kill("SIGKILL"));
      await kill(owner, "SIGKILL");
      return restarted(world.replicas, owner);
    },
  },
  {
    name: "SIGTERM",
    isTakeOver: true,
    strike: async ({ replicas }, owner) => {
      await kill(owner, "SIGTERM");
      return restarted(replicas, owner);
    },
  },
  {
    name: "SIGTERM while it acts",
    isTakeOver: true,
    strike: async (world, owner) => {
      await whenActing(world, "received", () => void owner.life.process.kill("SIGTERM"));
      await kill(owner, "SIGTERM");
      return restarted(world.replicas, owner);
    },
  },
  {
    name: "SIGSTOP beyond the lease",
    isTakeOver: true,
    strike: async (_, owner) => {
      owner.life.process.kill("SIGSTOP");
      return atOnce(() => owner.life.process.kill("SIGCONT"));
    },
  },
  {
    name: "SIGSTOP beyond the lease while it acts",
    isTakeOver: true,
    strike: async (world, owner) => {
      await whenActing(world, "received", () => void owner.life.process.kill("SIGSTOP"));
      owner.life.process.kill("SIGSTOP");
      return atOnce(() => owner.life.process.kill("SIGCONT"));
    },
  },
  {
    name: "partition from the database",
    isTakeOver: true,
    strike: async (_, owner) => {
      owner.proxy.partition();
      return atOnce(() => owner.proxy.heal());
    },
  },
  {
    name: "partition from the database while it acts",
    isTakeOver: true,
    strike: async (world, owner) => {
      await whenActing(world, "received", owner.proxy.partition);
      owner.proxy.partition();
      return atOnce(() => owner.proxy.heal());
    },
  },
  {
    name: "SIGSTOP shorter than the lease",
    isTakeOver: false,
    strike: async (_, owner) => {
      owner.life.process.kill("SIGSTOP");
      return async () => {
        await pauseFor(SHORT_MS);
        owner.life.process.kill("SIGCONT");
      };
    },
  },
  {
    name: "connections cut",
    isTakeOver: false,
    strike: async ({ replicas }) => {
      for (const { proxy } of replicas.all()) proxy.cut();
      return atOnce(() => undefined);
    },
  },
  {
    name: "connections cut while it acts",
    isTakeOver: false,
    strike: async (world, owner) => {
      await whenActing(world, "received", owner.proxy.cut);
      return atOnce(() => undefined);
    },
  },
  {
    name: "database restarted",
    isTakeOver: false,
    strike: async ({ server }) => {
      await server.kill();
      return async () => {
        await pauseFor(SHORT_MS / 2);
        await server.start();
      };
    },
  },
  {
    name: "database stands still",
    isTakeOver: false,
    strike: async ({ server }) => {
      await server.pause();
      return async () => {
        await pauseFor(SHORT_MS);
        await server.resume();
      };
    },
  },
  {
    name: "standby killed",
    isTakeOver: false,
    strike: async ({ replicas }, owner) => {
      const [standby] = replicas.others(owner);
      if (standby === undefined) return atOnce(() => undefined);
      await kill(standby, "SIGKILL");
      return restarted(replicas, standby);
    },
  },
];
