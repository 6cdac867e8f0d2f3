import { ruleHashes } from "../../core/change/reload.ts";
import type { Alert } from "../../domain/alert.ts";
import type { Entity } from "../../domain/entity.ts";
import { STATE_TABLES, type Policy } from "../../domain/step.ts";
import type { Instant } from "../../domain/time.ts";
import type { State } from "../../core/state.ts";
import type { RunEvent, Step } from "../run-event.ts";
import { DurableMap, stampOf } from "./durable-map.ts";

/** The text of a deleted row. */
export const DELETED = "";

const ENTITY = "entity ";
const ALERT = "alert ";

/** The rows of the state as steps reported them, before the event that is checked. */
export class Rows {
  /** By `table key`, as JSON. */
  readonly texts = new Map<string, string>();
  /** Rows that may not be on disk: every text that may be there, the previous one first. */
  readonly unsure = new Map<string, string[]>();
  /**
   * Alerts with a change that the previous process could not write, and since when they are bad by the row that the
   * next process read.
   */
  readonly forgotten = new Map<string, Instant>();
  readonly firstSeen = new DurableMap<Instant>({
    keys: ({ entity }) => entity.keys(),
    read: ({ entity }, key) => entity.get(key)?.firstSeen,
  });
  readonly alerts = new Map<string, Alert>();
  /** The rules in force: hash by name. */
  hashes: ReadonlyMap<string, string> = new Map();
  private policy: Policy | undefined;
  /** The newest stamp of all processes. */
  lastStamp: Instant = Number.NEGATIVE_INFINITY;

  settle(event: RunEvent): void {
    if (event.type === "restarted") this.restore(event.state);
    if (event.type === "step") this.settleStep(event);
  }

  /** Commits were lost: these rows are left. */
  lose(state: State): void {
    this.read(state);
    this.firstSeen.lose(state);
    for (const [key, { activeAt }] of state.tables.alert) this.forgotten.set(key, activeAt);
    this.readAlerts(state);
    this.lastStamp = stampOf(state);
  }

  private read({ tables }: State): void {
    this.texts.clear();
    this.unsure.clear();
    for (const table of STATE_TABLES)
      for (const [key, value] of tables[table])
        this.texts.set(`${table} ${key}`, JSON.stringify(value));
  }

  private readAlerts({ tables }: State): void {
    this.alerts.clear();
    for (const [key, alert] of tables.alert) this.settleAlert(key, alert);
  }

  private settleStep({ result, durable, state, policy, stampedAt }: Step): void {
    for (const { table, key, value } of result.changes) {
      const name = `${table} ${key}`;
      const text = value === undefined ? DELETED : JSON.stringify(value);
      if (!durable)
        this.unsure.set(name, [
          ...(this.unsure.get(name) ?? [this.texts.get(name) ?? DELETED]),
          text,
        ]);
      this.texts.set(name, text);
      if (table === "entity") this.settleFirstSeen(key, value as Entity | undefined);
      if (table === "alert") this.settleAlert(key, state.tables.alert.get(key));
    }
    if (durable) {
      this.unsure.clear();
      this.firstSeen.settle();
    }
    if (policy !== this.policy) this.hashes = ruleHashes(policy.rules);
    this.policy = policy;
    this.lastStamp = Math.max(this.lastStamp, stampedAt);
  }

  private settleFirstSeen(key: string, entity: Entity | undefined): void {
    if (entity === undefined) this.firstSeen.delete(key);
    else this.firstSeen.set(key, entity.firstSeen);
  }

  private settleAlert(key: string, alert: Alert | undefined): void {
    if (alert?.state !== "pending" && alert?.state !== "firing") this.forgotten.delete(key);
    if (alert === undefined) this.alerts.delete(key);
    else this.alerts.set(key, { ...alert });
  }

  private restore(state: State): void {
    const { tables } = state;
    const before = [...this.texts];
    const unwritten = new Set(this.unsure.keys());
    this.read(state);
    // Rows that were not read are still to be deleted on disk.
    for (const [name, text] of before) {
      if (this.texts.has(name)) continue;
      this.unsure.set(name, [text, DELETED]);
      if (name.startsWith(ENTITY)) this.firstSeen.delete(name.slice(ENTITY.length));
    }
    for (const [name, text] of before) {
      if (!name.startsWith(ALERT) || !unwritten.has(name)) continue;
      const key = name.slice(ALERT.length);
      const read = tables.alert.get(key);
      if (read !== undefined && this.texts.get(name) !== text)
        this.forgotten.set(key, read.activeAt);
    }
    this.firstSeen.restore(state);
    this.readAlerts(state);
    this.lastStamp = tables.counter.get("at") ?? this.lastStamp;
  }
}
