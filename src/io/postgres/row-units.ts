import { lastNotification } from "../../core/tell/outbox.ts";
import type { Alert } from "../../domain/alert.ts";
import { entityKey, type Entity, type EntityId } from "../../domain/entity.ts";
import { identifierKey } from "../../domain/identifier.ts";
import { HOME, sendersUnit, unitOfSender } from "../../domain/lease.ts";
import type { OutboxRow } from "../../domain/notification.ts";
import { parseSurfaceKey, SELF_SURFACE } from "../../domain/observation.ts";
import type { Change } from "../../domain/step.ts";
import type { WatchEntry, WatchRow } from "../../domain/watch.ts";
import { SENDER_POLLERS } from "../../pollers/watch-kinds.ts";

/** The unit of each row, for a number of units of senders. */
export type RowUnits = {
  /** Must see every entity first: other rows about an entity go to its unit. */
  readonly see: (row: Change) => void;
  readonly of: (row: Change) => string;
  /** The unit that watches what an entry of a list names. */
  readonly ofEntry: (entry: WatchEntry) => string;
};

export function createRowUnits(shards: number): RowUnits {
  const known = new Map<string, string>();
  const ofSender = (address: string): string =>
    shards === 0 ? HOME : sendersUnit(unitOfSender(identifierKey(address), shards));
  const ofSurface = (key: string): string => {
    const { poller, surface } = parseSurfaceKey(key);
    return SENDER_POLLERS.has(poller) && surface !== SELF_SURFACE ? ofSender(surface) : HOME;
  };
  const about = (entity: EntityId): string =>
    known.get(entityKey(entity)) ?? (entity.kind === "sender" ? ofSender(entity.id) : HOME);
  const ofEntry = ({ kind, target }: WatchEntry): string =>
    kind === "sender" ? ofSender(target) : HOME;
  return {
    ofEntry,
    see: ({ table, key, value }) => {
      if (table !== "entity") return;
      const unit = ofSurface((value as Entity).surface);
      if (unit !== HOME) known.set(key, unit);
    },
    of: ({ table, key, value }) => {
      if (table === "entity") return known.get(key) ?? HOME;
      if (table === "unread") return ofSurface(key);
      if (table === "alert") return about((value as Alert).entity);
      if (table === "notification") {
        const last = lastNotification(value as OutboxRow);
        return last?.type === "alert" ? about(last.entity) : HOME;
      }
      if (table !== "watch") return HOME;
      const row = value as WatchRow;
      return row.type === "entry" ? ofEntry(row) : HOME;
    },
  };
}
