import type { HttpMethod, Purpose } from "../domain/http.ts";
import type { Json } from "../domain/result.ts";

/**
 * Who states it: `I` the interface's own description, `C` a public client of such a service, `A` our
 * assumption. Every one of them is a setting (`wire.<endpoint>`).
 */
export type Provenance = "I" | "C" | "A";

export type EndpointDefinition = {
  readonly purpose: Purpose;
  readonly method: HttpMethod;
  /** Relative to the base URL. A segment is either literal or one whole `{arg}`. */
  readonly path: string;
  /** Values may hold `{arg}`. A key whose optional argument is not given is left out. */
  readonly query?: Readonly<Record<string, string>>;
  /** JSON; texts may hold `{arg}`, and the text `{arg:number}` becomes a number. */
  readonly body?: Json;
  readonly args: readonly string[];
  readonly optionalArgs?: readonly string[];
  readonly statedBy: Provenance;
  /** One line for docs/aggregator.md: what it is asked for, and what is assumed. */
  readonly why: string;
};
