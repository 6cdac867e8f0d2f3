import type { Decoder, Mismatch, ReadsAhead } from "./decode.ts";
import { snippet } from "./decode.ts";
import { valueAt } from "../../domain/values/plain-values.ts";
import type { Result } from "../../domain/result.ts";
import { name, nameWithoutSlash } from "./fields.ts";
import type { InstantUnit } from "./decode.ts";

/**
 * One entry of a listing with a malformed name must not hide all the others. It is left out, counted and shown. The
 * listing is then not complete: absence from it means nothing, and it causes no repair. Any other mismatch still
 * fails the whole reply.
 */
export type MalformedEntries = { readonly count: number; readonly shown: readonly string[] };

/** A decoder that may leave out entries with malformed names, and then says so. */
export type SiftingDecoder<Value> = ReadsAhead &
  ((
    json: unknown,
    instants?: InstantUnit,
  ) => Result<Value, Mismatch> & { readonly malformed?: MalformedEntries });

/** Which fields of an entry are names; of an entry that is itself a name: `null`. */
type NameFields = ReadonlyArray<{ readonly field: string | null; readonly slash: boolean }>;

/** Where the listings of a reply are: at its root (`null`), or in its fields. */
export type Sieve = ReadonlyArray<{ readonly list: string | null; readonly names: NameFields }>;

const SHOWN_AT_MOST = 3;

export function sifting<Value>(decoder: Decoder<Value>, sieve: Sieve): SiftingDecoder<Value> {
  const decode: SiftingDecoder<Value> = (json, instants) => {
    const whole = decoder(json, instants);
    // What has a malformed name does not decode.
    if (whole.ok) return whole;
    const found = { count: 0, shown: new Array<string>() };
    let sound = 0;
    let sifted: unknown = json;
    for (const { list, names } of sieve) {
      const entries = list === null ? sifted : valueAt(sifted, [list]);
      if (!Array.isArray(entries)) continue;
      const kept = entries.filter((entry: unknown) => {
        const malformed = names
          .map((name) => malformedName(entry, name))
          .find((text) => text !== undefined);
        if (malformed === undefined) return true;
        found.count += 1;
        if (found.shown.length < SHOWN_AT_MOST) found.shown.push(snippet(malformed));
        return false;
      });
      sound += kept.length;
      if (kept.length === entries.length) continue;
      sifted = list === null ? kept : { ...(sifted as object), [list]: kept };
    }
    // If nothing is left, it is our idea of a name that is wrong here.
    if (found.count === 0 || sound === 0) return whole;
    const decoded = decoder(sifted, instants);
    // Another mismatch is reported on the original, so that its path is right.
    return decoded.ok ? { ...decoded, malformed: found } : whole;
  };
  return Object.assign(decode, { ahead: decoder.ahead });
}

/** One line for people. */
export function describeMalformed({ count, shown }: MalformedEntries): string {
  const more = count > shown.length ? ", …" : "";
  const entries =
    count === 1 ? "entry has a malformed name and is" : "entries have malformed names and are";
  return `${count} ${entries} left out: ${shown.join(", ")}${more}`.slice(0, 400);
}

/** The text of a name that is malformed; a value that is not text is for the decoder to refuse. */
function malformedName(
  entry: unknown,
  { field, slash }: { readonly field: string | null; readonly slash: boolean },
): string | undefined {
  const text = field === null ? entry : valueAt(entry, [field]);
  if (typeof text !== "string" || text === "") return undefined;
  return (slash ? name : nameWithoutSlash).safeParse(text).success ? undefined : text;
}
