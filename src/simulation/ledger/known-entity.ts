import type { EntityId, Facts, SeenEntity } from "../../domain/entity.ts";
import type { Instant } from "../../domain/time.ts";

/** An entity as it was read last. */
export type KnownEntity = {
  readonly id: EntityId;
  readonly parent: SeenEntity["parent"];
  readonly surface: string;
  facts: Facts;
  /** The last listing of its surface was whole, and lacked it. */
  isAbsent: boolean;
  /** How many polls in a row did. */
  absences: number;
};

/** A surface as it was read last, since the process started. */
export type KnownSurface = {
  /** Of the newest reading that came out. */
  readonly askedAt: Instant;
  /** A whole listing was read. */
  readonly everWhole: boolean;
  /** The last listing was whole and empty, and lacks several of these kinds that the one before had. */
  readonly lostKinds: ReadonlySet<string>;
  /** The last listing was whole, and lacks half or more of what the one before had: the next is a confirmation. */
  readonly wasSudden: boolean;
};
