import type { SettingChange } from "../../config/settings/setting-entries.ts";
import type { ReloadReport } from "../../core/change/reload-report.ts";
import type { Explanation } from "../../core/explain/explain.ts";
import type { Overview, Status } from "../../core/explain/status.ts";
import type { Command } from "../../domain/command.ts";
import type { EntityId } from "../../domain/entity.ts";
import type { Trial } from "../../core/explain/trial.ts";
import type { Rule } from "../../domain/rule.ts";
import type { Slices } from "../../domain/slices.ts";
import type { Result } from "../../domain/result.ts";
import type { Instant } from "../../domain/time.ts";
import type { WatchReading } from "../../domain/watch.ts";
import type { RuleCoverage } from "../../core/explain/coverage.ts";
import type { OutboxRow } from "../../domain/notification.ts";
import type { Backup } from "../journal/backup.ts";
import type { JournalReading } from "../journal/past.ts";
import type { Page } from "../metrics/page-bytes.ts";
import type { Format } from "../metrics/text-format.ts";
import type { Access } from "./access.ts";
import type { Backtesting } from "./backtest/answer.ts";
import type { Feed } from "./events/feed.ts";
import type { PollHistory } from "./lists/poll-history.ts";
import type { View } from "./lists/view.ts";
import type { EntityPast, EntitySpan } from "./past/entity-past.ts";
import type { EntitiesThen } from "./past/moment.ts";
import type { TokenGate } from "./tokens.ts";

/** What the servers read from the loop, and ask of it. */
export type LoopSource = {
  /** Resolves when no event is being handled. */
  readonly idle: () => Promise<void>;
  readonly status: () => Slices<Status>;
  readonly overview: () => Overview;
  /** The state itself, not a copy: read it before anything else happens. */
  readonly view: () => View;
  /** The newest first. */
  readonly findings: JournalReading["findings"];
  /** The last delivery and the waiting notification of each subject and channel. */
  readonly outbox: () => ReadonlyMap<string, OutboxRow>;
  /** On how many of an aggregator's entities each rule can decide. */
  readonly coverage: (aggregator: string) => Slices<readonly RuleCoverage[]>;
  readonly past: Pick<
    JournalReading,
    "historyOf" | "reachesBackTo" | "between" | "restarts" | "alertsAfter" | "recordSpan"
  >;
  /** Tries a rule that is not in force on every known entity. */
  readonly trial: (rule: Rule) => Slices<Trial>;
  /** Applies an operator's command, through the loop. Resolves when it is on disk, or when it will not be. */
  readonly command: (
    by: string,
    reason: string,
    command: Command,
  ) => CommandOutcome | Promise<CommandOutcome>;
  /** The names that a scope may have. */
  readonly names: () => KnownNames;
  readonly now: () => Instant;
  /**
   * Why an alert is in its state, now or in the past, as far as the journal looks back. The problem names the unknown
   * rule or entity, or says how far the journal looks back.
   */
  readonly explain: (
    rule: string,
    entity: EntityId,
    at?: Instant,
  ) => Result<Explained, string> | Promise<Result<Explained, string>>;
  /** The watch lists, and the state of their sources. */
  readonly watched: () => readonly WatchReading[];
};

/** The source of the servers: `/`, `/metrics`, `/healthz`, `/readyz`, `/api/v1/...`, and the calls that write. */
export type ServerSource = LoopSource & {
  readonly version: string;
  readonly feed: Pick<Feed, "join" | "leave">;
  readonly polls: Pick<PollHistory, "of">;
  /** The entities at an instant in the past. The problem says why they are not kept. */
  readonly entitiesAt: (at: Instant) => Promise<Result<EntitiesThen, string>>;
  /** One entity over a span of time. The problem says why that is not kept. */
  readonly entityPast: (span: EntitySpan) => Promise<Result<EntityPast, string>>;
  readonly backtesting: Backtesting;
  readonly metrics: (format: Format) => Promise<Page>;
  /** Why the process should be restarted, one line each; empty if it is healthy. */
  readonly unhealthy: () => readonly string[];
  readonly unready: () => readonly string[];
  /** First polls that take long, one line each: the process is ready, but their surfaces are still unread. */
  readonly unread: () => readonly string[];
  /** The role of this replica, one line for `/readyz`; absent without other replicas. */
  readonly role?: () => string;
  /** The role and, for a standby, the age of the answers that it read from the database. */
  readonly replica?: () => string;
  /** Other problems, one line each, such as why the last reload failed. */
  readonly notices: () => readonly string[];
  /** The host names that it answers to, and the proxies that it trusts. */
  readonly access: () => Access;
  /** Whether agents are answered at `/mcp`. */
  readonly mcp: () => boolean;
  /** Decides whether a call that writes may pass. */
  readonly gate: TokenGate;
  readonly reload: (by: string, dryRun: boolean) => ReloadOutcome;
  /** Copies the journal into the data directory. */
  readonly backUp: (by: string) => Result<Backup, string> | Promise<Result<Backup, string>>;
  /** Called for a bug while an answer was made. */
  readonly onError: (path: string, error: unknown) => void;
};

/** What a reload did, or with `dryRun` would do; the problem is the text of every problem. */
export type ReloadOutcome = Result<ReloadDone, string>;
export type ReloadDone = ReloadReport & { readonly settings: readonly SettingChange[] };

export type CommandOutcome = {
  readonly accepted: boolean;
  readonly subject: string;
  /** What was done, or why it was not. */
  readonly detail: string;
  /** It is on disk. */
  readonly durable: boolean;
  /** The wrong keys of the body, if that is why it was not done. */
  readonly problems?: readonly string[];
};

export type KnownNames = Readonly<Record<"aggregator" | "kind" | "rule", readonly string[]>>;

export type Explained = {
  readonly explanation: Explanation;
  /** The explanation for people, the answer first. */
  readonly sentences: readonly string[];
};
