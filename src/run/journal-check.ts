import { statSync } from "node:fs";
import { join } from "node:path";
import { MINUTE, SECOND } from "../domain/time.ts";
import { checkFile, type FileCheck } from "../io/journal/check-file.ts";
import { explainDamage, JOURNAL_FILE, LOG_SUFFIX } from "../io/journal/file.ts";
import type { Journal } from "../io/journal/journal.ts";
import { steadyNow } from "../io/process/clock.ts";
import { messageOf } from "../domain/error-message.ts";
import type { Logger } from "../io/process/log.ts";

/** Looks for damage in the whole journal, while the daemon works on; a start itself reads only a part of it. */
export type JournalCheck = {
  /**
   * Calls `onSound` once, if there is no damage; returns what ends the check. It begins at `whenIdle`, as it cannot
   * begin in the middle of a commit.
   */
  readonly begin: (onSound: () => void, whenIdle?: (work: () => void) => void) => () => void;
};

/** How long until a check that failed is repeated. */
const RETRY_AFTER = MINUTE;

/** The write-ahead log grows for as long as the file is read; a check that takes longer is given up. */
const MOST_LOG_BYTES = 128 * 1_048_576;

export function createJournalCheck(
  directory: string,
  journal: Pick<Journal, "freezeFile" | "thawFile" | "damage" | "condemn" | "inPlace">,
  log: Pick<Logger, "info" | "warn" | "error">,
  check: typeof checkFile = checkFile,
): JournalCheck {
  const file = join(directory, JOURNAL_FILE);
  return {
    begin: (onSound, whenIdle = (work) => work()) => {
      let stop = (): void => undefined;
      const tryLater = (why: string): void => {
        log.warn({ detail: why }, "the journal could not be checked; tried again in a minute");
        const timer = setTimeout(attempt, RETRY_AFTER);
        stop = () => clearTimeout(timer);
      };
      const attempt = (): void => {
        let isOver = false;
        stop = () => {
          isOver = true;
        };
        whenIdle(() => {
          if (!isOver) checkNow();
        });
      };
      const checkNow = (): void => {
        if (isKnownDamaged(journal, log)) return;
        const frozen = journal.freezeFile();
        if (!frozen.ok) return tryLater(frozen.problem);
        log.info("the journal is being checked; no action is sent until it is known to be sound");
        const began = steadyNow();
        const giveUp = (why: string): void => {
          stop();
          journal.thawFile();
          tryLater(why);
        };
        const end = (found: FileCheck): void => {
          clearInterval(watching);
          if (isKnownDamaged(journal, log)) return;
          const place = journal.inPlace();
          if (!place.ok) return giveUp(place.problem);
          if (found.outcome === "failed") return giveUp(messageOf(found.error));
          if (found.outcome === "damaged") return condemn(found.problems, file, journal, log);
          journal.thawFile();
          log.info({ tookMs: Math.round(steadyNow() - began) }, "the journal is sound");
          onSound();
        };
        const stopThread = check(file, end);
        const watching = setInterval(() => {
          if (logBytes(file) > MOST_LOG_BYTES) giveUp("more was written meanwhile than may wait");
        }, SECOND);
        stop = () => {
          clearInterval(watching);
          stopThread();
        };
      };
      attempt();
      return () => stop();
    },
  };
}

function logBytes(file: string): number {
  return statSync(`${file}${LOG_SUFFIX}`, { throwIfNoEntry: false })?.size ?? 0;
}

function condemn(
  problems: readonly string[],
  file: string,
  journal: Pick<Journal, "condemn">,
  log: Pick<Logger, "error">,
): void {
  journal.condemn(explainDamage(file, problems[0] ?? ""));
  sayDamaged(problems, log);
}

/** A commit may have met the damage first: nothing is left to check, and freezing the file would write to it. */
function isKnownDamaged(journal: Pick<Journal, "damage">, log: Pick<Logger, "error">): boolean {
  const damage = journal.damage();
  if (damage !== undefined) sayDamaged([damage], log);
  return damage !== undefined;
}

function sayDamaged(problems: readonly string[], log: Pick<Logger, "error">): void {
  log.error({ problems }, "the journal is damaged: no action is sent, alerts go on");
}
