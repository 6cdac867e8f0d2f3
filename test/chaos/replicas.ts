import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { LogLine } from "../acceptance/daemon.ts";
import { startLife, type Life } from "../kill/house.ts";
import { homeIn } from "../kill/killed-home.ts";
import { startProxy, type Proxy } from "./proxy.ts";

/** Two replicas, each with its own way to the database, and who acts now. */
export type Replicas = {
  readonly names: readonly string[];
  /** Undefined while nobody has said that it acts, or the one that did has ended or was told to stand by. */
  readonly owner: () => Replica | undefined;
  readonly others: (than: Replica | undefined) => readonly Replica[];
  readonly all: () => readonly Replica[];
  /** The next time that a replica says that it acts; its name. */
  readonly nextActing: () => Promise<string>;
  /** Instead of one that has ended. */
  readonly restart: (replica: Replica) => void;
  /** What a life that nobody ended said, and how it ended. */
  readonly broken: readonly string[];
  readonly close: () => Promise<void>;
};

export type Replica = {
  readonly name: string;
  readonly proxy: Proxy;
  life: Life;
  /** It is to end, or may. */
  isEnding: boolean;
};

export type ReplicaSettings = {
  readonly directory: string;
  readonly aggregatorUrl: string;
  readonly databasePort: number;
  readonly databaseName: string;
  readonly leaseMs: number;
  readonly senders: readonly string[];
  readonly env: Readonly<Record<string, string>>;
};

export const isWatching = ({ lines }: Life): boolean =>
  lines.some(({ msg }) => msg === "watching" || msg === "standing by");

export async function startReplicas(
  names: readonly string[],
  settings: ReplicaSettings,
): Promise<Replicas> {
  const replicas: Replica[] = [];
  const broken: string[] = [];
  let owner: string | undefined;
  let waiting: Array<(name: string) => void> = [];

  const hear = (name: string, line: LogLine, life: Life): void => {
    if (replicas.find((one) => one.name === name)?.life !== life) return;
    if (line["msg"] === "standing by: the lease is lost" && owner === name) owner = undefined;
    const level = line["level"];
    if (level === "fatal" || (typeof level === "number" && level >= 60))
      broken.push(`${name}: ${JSON.stringify(line)}`);
    if (line["msg"] !== "acting") return;
    owner = name;
    for (const resolve of waiting) resolve(name);
    waiting = [];
  };

  function begin(name: string, proxy: Proxy): Life {
    const directory = join(settings.directory, name);
    mkdirSync(directory, { recursive: true });
    const own = homes.get(name) ?? homeIn(directory, settings.aggregatorUrl, settings.senders);
    homes.set(name, own);
    const life = startLife(
      own,
      undefined,
      {
        ...settings.env,
        AGGWATCH_DATABASE_URL: `postgres://aggwatch@127.0.0.1:${proxy.port}/${settings.databaseName}`,
        AGGWATCH_JOURNAL_POSTGRES_REPLICA: name,
        AGGWATCH_JOURNAL_POSTGRES_LEASE: `${settings.leaseMs / 1_000}s`,
      },
      (line, of) => hear(name, line, of),
    );
    void beginAgain(name, life);
    return life;
  }

  /** A start may fail while the database is away: whatever runs it starts it again. */
  async function beginAgain(name: string, life: Life): Promise<void> {
    const how = await life.ended;
    const replica = replicas.find((one) => one.life === life);
    if (replica === undefined) return;
    if (owner === name) owner = undefined;
    if (replica.isEnding) return;
    if (isWatching(life)) broken.push(`${name} ended with ${how}: ${life.errors()}`);
    replica.life = begin(name, replica.proxy);
  }

  const homes = new Map<string, ReturnType<typeof homeIn>>();
  for (const name of names) {
    const proxy = await startProxy(settings.databasePort);
    const replica: Replica = { name, proxy, isEnding: false, life: begin(name, proxy) };
    replicas.push(replica);
  }
  return {
    names,
    broken,
    all: () => replicas,
    owner: () => replicas.find(({ name }) => name === owner),
    others: (than) => replicas.filter((one) => one !== than),
    nextActing: () => new Promise((resolve) => waiting.push(resolve)),
    restart: (replica) => {
      replica.isEnding = false;
      replica.life = begin(replica.name, replica.proxy);
    },
    close: async () => {
      for (const replica of replicas) {
        replica.isEnding = true;
        replica.life.process.kill("SIGCONT");
        replica.life.process.kill("SIGKILL");
        await replica.life.ended;
        await replica.proxy.close();
      }
    },
  };
}
