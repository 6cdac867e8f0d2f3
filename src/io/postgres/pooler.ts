/**
 * PgBouncer's own errors, unlike those of the database behind it, all have one code, so their text decides. An error
 * that is not listed here may pass by itself, and its text says enough.
 */

export const POOLER_CODE = "08P01";

type Meaning = {
  /** A person must fix it. */
  readonly isLasting: boolean;
  /** What to change, or what it means. */
  readonly means: string;
};

const lasting = (means: string): Meaning => ({ isLasting: true, means });
const passing = (means: string): Meaning => ({ isLasting: false, means });

const LOGIN = lasting(
  "the user, its password and its way to log in for the database are those of PgBouncer's [databases] or auth_file",
);

/** The first match counts. */
const MEANINGS: ReadonlyArray<readonly [says: RegExp, meaning: Meaning]> = [
  [
    /^no such database: /,
    lasting("it is not in PgBouncer's [databases]: name it there, or correct the URL"),
  ],
  [
    /^(?:(?:password|SASL|certificate|"trust") authentication failed|auth failed|login rejected|no such user\b)/,
    lasting("correct the user or the password of the URL, or PgBouncer's auth_file or auth_query"),
  ],
  [/^SSL required/, lasting("say sslmode=verify-full in the URL")],
  [
    /^unsupported (?:options )?startup parameter/,
    lasting("add it to PgBouncer's ignore_startup_parameters"),
  ],
  [/^server login failed: /, LOGIN],
  // The rest of the message is the database's answer.
  [
    /^server login has been failing, cached error: (?:server login failed: |password authentication failed|(?:database|role) ".*" does not exist|no pg_hba\.conf entry)/,
    LOGIN,
  ],
  [
    /^(?:server login has been failing|client_login_timeout \(server down\)|pgbouncer cannot connect)/,
    passing("PgBouncer does not reach the database"),
  ],
  [
    /^(?:no more connections allowed|client connections exceeded)/,
    passing("let PgBouncer have more clients: the limit is the one that it names"),
  ],
  [
    /^query_wait_timeout/,
    passing("none of PgBouncer's connections became free in time: raise its default_pool_size"),
  ],
  [/^database ".*" is disabled/, passing("ENABLE it in PgBouncer's console")],
  [/^bouncer config error/, passing("the log of PgBouncer says why")],
];

/** Undefined if the message says enough. */
export function meaningOfPooler(message: string): Meaning | undefined {
  return MEANINGS.find(([says]) => says.test(message))?.[1];
}
