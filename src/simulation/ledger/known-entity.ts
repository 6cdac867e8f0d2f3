import type { EntityId, Facts, SeenEntity } from "../../domain/entity.ts";
import type { Instant } from "../../domain/time.ts";

/** An entity as it was read last. */
export type KnownEntity = {
  readonly id: EntityId;
  readonly parent: SeenEntity["parent"];
  readonly surface: string;
  facts: Facts;
  /** The last listing of its surface was complete, and lacked it. */
  isAbsent: boolean;
  /** How many complete polls in a row lacked it. */
  absences: number;
};

/** A surface as it was read last, since the process started. */
export type KnownSurface = {
  /** When the newest successful reading was requested. */
  readonly askedAt: Instant;
  /** A complete listing was read. */
  readonly everWhole: boolean;
  /** If the last listing was empty: the kinds of which it lacks several known entities. */
  readonly lostKinds: ReadonlySet<string>;
  /** The last listing was complete, and lacked half or more of a kind that was known: the next one confirms it. */
  readonly wasSudden: boolean;
};
