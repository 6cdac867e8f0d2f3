import { formatDuration, MINUTE, SECOND, type Millis } from "../../domain/time.ts";
import { readSecret, type CredentialWork, type SecretForm } from "./resolve-credential.ts";
import type { Secret } from "./secret.ts";

/** Where the journal is: a file in the directory `data`, or a PostgreSQL that several replicas share. */

/** What the section `journal.postgres` says. */
export type PostgresText = {
  readonly url_file?: string | undefined;
  readonly url_env?: string | undefined;
  readonly replica?: string | undefined;
  readonly lease: Millis;
};

/** A journal in PostgreSQL, which several replicas share. */
export type PostgresSettings = {
  readonly url: Secret;
  /** Undefined: the host's name. */
  readonly replica: string | undefined;
  readonly leaseMs: Millis;
};

const PATH = ["journal", "postgres"];

/** A shorter one is lost to a garbage collection or a busy disk, and a longer one leaves too much time unwatched. */
const SHORTEST_LEASE = 3 * SECOND;
const LONGEST_LEASE = 5 * MINUTE;

const DATABASE_URL: SecretForm = {
  pattern: /^postgres(?:ql)?:\/\/\S+$/,
  otherwise: "holds no URL as postgres://USER:PASSWORD@HOST/DATABASE",
};

/** Undefined if the journal is a file, and if there is a problem, which is reported. */
export function resolveJournal(
  work: CredentialWork,
  text: PostgresText | undefined,
): PostgresSettings | undefined {
  if (text === undefined) return undefined;
  const fixed: CredentialWork = {
    ...work,
    noteSecret: (path, value) => work.noteSecret(path, value, "needs restart"),
  };
  const url = readSecret(fixed, text, PATH, "url", DATABASE_URL);
  const key = text.url_file === undefined ? "url_env" : "url_file";
  if (url !== undefined && URL.parse(url.reveal()) === null) {
    const message =
      "what it holds is not a URL: encode what is special in its password, as %40 for @";
    work.report({ id: "config/bad-value", path: [...PATH, key], at: "value", message });
    return undefined;
  }
  if (text.lease < SHORTEST_LEASE || text.lease > LONGEST_LEASE)
    work.report({
      id: "config/bad-value",
      path: [...PATH, "lease"],
      at: "value",
      message: "must be between 3s and 5m",
    });
  if (url === undefined) return undefined;
  return { url, replica: text.replica, leaseMs: text.lease };
}

/** While all goes well, so much of a lease is always left (`src/run/replica/lease-keeper.ts`). */
const ALWAYS_LEFT = 0.75;

/** Refuses a lease that would never let a request leave: an action may not outlast it. */
export function leaseCheck({
  journal: { postgres },
  aggregators,
}: {
  readonly journal: { readonly postgres: PostgresSettings | undefined };
  readonly aggregators: ReadonlyArray<{ readonly timeouts: { readonly requestMs: Millis } }>;
}) {
  const longest = Math.max(0, ...aggregators.map(({ timeouts }) => timeouts.requestMs));
  if (postgres === undefined || postgres.leaseMs * ALWAYS_LEFT > longest) return [];
  const left = formatDuration(postgres.leaseMs * ALWAYS_LEFT);
  return [
    {
      path: [...PATH, "lease"],
      message: `is too short: ${left} of it are left before each renewal, and a request may take ${formatDuration(longest)}, so that no action could be sent`,
      hint: "make the lease longer, or `timeout` of the aggregator shorter",
    },
  ];
}
