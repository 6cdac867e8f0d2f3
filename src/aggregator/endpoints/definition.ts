import type { HttpMethod, Purpose } from "../../domain/http.ts";
import type { DoubtReason } from "../../domain/observation.ts";
import type { Json } from "../../domain/result.ts";
import type { SiftingDecoder } from "../decoding/malformed-entries.ts";

/**
 * Who states it: `I` the interface's own description, `C` a public client of such a service, `A` our
 * assumption. Every one of them is a setting (`wire.<endpoint>`).
 */
type Provenance = "I" | "C" | "A";

/** It begins every path but one, which has it inside. `api_prefix` replaces it in all of them. */
export const DEFAULT_API_PREFIX = "/api/v1";

export type Args = Readonly<Record<string, string>>;

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
  /** What its reply may say without meaning that it is not what was asked for. */
  readonly ignore?: readonly DoubtReason[];
  /** One line for docs/aggregator.md: what it is for, and what is assumed. */
  readonly why: string;
};

/** An endpoint that is read: its request, its reply, and how `aggwatch probe` tries it. */
export type ReadDefinition<Value> = EndpointDefinition & {
  readonly decode: SiftingDecoder<Value>;
  readonly reply: ReplyShape;
  /** The arguments for `aggwatch probe`, of what is known; falsy if one of them is not. */
  readonly probeArgs: (known: ProbeKnowledge) => Args | "" | undefined;
  /** What `aggwatch probe` says if an argument is not known. */
  readonly lacks: string;
  /** What a reply names, for the arguments of further endpoints. */
  readonly learn: (value: Value) => ProbeKnowledge;
};

/**
 * What a reply looks like by default, for people. A test checks it against the decoder, which takes the
 * example, misses every required field, and finds nothing that is not in it.
 */
export type ReplyShape = {
  /** A whole reply with every field that is read. */
  readonly example: Json;
  /** JSON paths, `[]` for every item: without these it is a mismatch. Others may be absent or null. */
  readonly required: readonly string[];
  readonly statedBy: Provenance;
  /** What is stated, shown or assumed of it. */
  readonly notes: string;
};

/** Whether a reply of this shape lists entries: it is a list, or an object of lists. */
export function isListing({ example }: ReplyShape): boolean {
  return Array.isArray(example) || Object.values(Object(example) as object).some(Array.isArray);
}

/** What `aggwatch probe` can name in a request: from the config, or from the listings read before. */
export type ProbeKnowledge = {
  readonly exchange?: string | undefined;
  readonly pair?: string | undefined;
  readonly pool?: { readonly factory: string; readonly pair: string } | undefined;
  readonly sender?: string | undefined;
  readonly liquidation?: string | undefined;
};

const READ_DEFAULTS = {
  purpose: "read",
  method: "GET",
  args: [],
  probeArgs: () => ({}),
  lacks: "",
  learn: () => ({}),
} as const;

/** With a limit in the request, it means nothing that there is more. */
export const LIMITED: readonly DoubtReason[] = [
  "partial_content",
  "more_elsewhere",
  "total_not_reached",
];

/** Defines an endpoint that is read, by default with a GET without arguments. */
export function read<Value>(
  definition: Omit<ReadDefinition<unknown>, keyof typeof READ_DEFAULTS | "decode"> &
    Partial<Pick<ReadDefinition<unknown>, "method" | "args" | "probeArgs" | "lacks">> & {
      readonly decode: SiftingDecoder<Value>;
      readonly learn?: (value: NoInfer<Value>) => ProbeKnowledge;
    },
): ReadDefinition<Value> {
  return { ...READ_DEFAULTS, ...definition };
}
