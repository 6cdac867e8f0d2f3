import { formatInstant, MINUTE, type Instant } from "../../domain/time.ts";
import type { Alert } from "../../domain/alert.ts";
import { plain, shortKey } from "../../notifiers/wording.ts";
import type { Checker, Told, Witnessed } from "../witness.ts";

type Seen<Type extends Witnessed["type"]> = Extract<Witnessed, { type: Type }>;

/** A channel that was down is tried again after so long at the most, and has some catching up to do. */
const CATCHING_UP = 6 * MINUTE;

/** What the receiver was told, in a book of its own, and what it has to be told. */
class ToldBook {
  private readonly last = new Map<string, Told>();
  private readonly heardAt = new Map<string, Instant>();
  /** What fired, was committed, and is to be heard of once at least. */
  private readonly owed = new Map<string, Instant>();

  hear({ at, alerts }: Seen<"told">): void {
    for (const told of alerts) {
      this.last.set(told.key, told);
      this.heardAt.set(told.key, at);
      this.owed.delete(told.key);
    }
  }

  note({ at, durable, result, state }: Seen<"step">): void {
    for (const finding of result.findings) {
      if (finding.type !== "alert") continue;
      const key = keyOf(finding.alert);
      // What a silence or another alert keeps back is told when that ends, if it still fires then.
      const isKeptBack = state.muted.has(finding.alert.key);
      if (finding.change === "firing" && durable && !isKeptBack) this.owed.set(key, at);
    }
  }

  /** Long after the channel came back. */
  look({ at, state }: Seen<"ended">): string[] {
    const firing = new Map<string, Alert>();
    for (const alert of state.tables.alert.values())
      if (alert.state === "firing") firing.set(keyOf(alert), alert);
    const owed = [...this.owed].filter(([, since]) => at - since > CATCHING_UP);
    return [
      ...owed.map(([key, since]) => `${key} fired at ${formatInstant(since)}, and nobody was told`),
      ...[...firing].flatMap(([key, alert]) =>
        state.muted.has(alert.key) ? [] : this.unheard(key, alert, at),
      ),
      ...[...this.last].flatMap(([key, told]) => this.unended(key, told, firing.has(key), at)),
    ];
  }

  private unheard(key: string, { firedAt = Infinity }: Alert, at: Instant): string[] {
    const told = this.last.get(key);
    if (at - firedAt <= CATCHING_UP) return [];
    if (told?.state === "firing" && told.firedAt === firedAt) return [];
    const word =
      told === undefined ? "nothing" : `${told.state} since ${formatInstant(told.firedAt)}`;
    return [`${key} fires since ${formatInstant(firedAt)}, and the receiver was told ${word}`];
  }

  private unended(key: string, told: Told, isFiring: boolean, at: Instant): string[] {
    const heardAt = this.heardAt.get(key) ?? at;
    if (told.state !== "firing" || isFiring || at - heardAt <= CATCHING_UP) return [];
    return [`${key} does not fire, and the receiver was told so by nobody`];
  }
}

/** When the channel has come back, every firing and every resolved alert has been told once at least. */
export function checkTold(): Checker {
  const book = new ToldBook();
  return {
    invariant: "5 what people are told",
    witness: (seen) => {
      if (seen.type === "told") book.hear(seen);
      else if (seen.type === "step") book.note(seen);
      return seen.type === "ended" ? book.look(seen) : [];
    },
  };
}

/** The webhook's key of an alert. */
function keyOf({ key }: Pick<Alert, "key">): string {
  return shortKey(plain(`alert ${key}`, Infinity), 500);
}
