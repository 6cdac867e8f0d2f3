/** Names of environment variables that are not a setting of the config. */

export const PREFIX = "AGGWATCH_";

/** Read by the command line rather than by the config: the config file's own path. */
export const CONFIG_VARIABLE = `${PREFIX}CONFIG`;

/** Read by the commands that ask a running daemon; they set nothing in the daemon itself. */
export const CLIENT_VARIABLES = {
  url: `${PREFIX}URL`,
  tokenFile: `${PREFIX}TOKEN_FILE`,
} as const;

/** Holds the URL of the database, by the name that platforms give it, unless the config says where that is. */
export const DATABASE_VARIABLE = `${PREFIX}DATABASE_URL`;
