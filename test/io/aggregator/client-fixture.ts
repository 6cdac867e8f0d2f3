import type { WireOverrides } from "../../../src/aggregator/profile.ts";
import { compileProfile } from "../../../src/aggregator/profile.ts";
import type { Client, ClientSettings } from "../../../src/io/aggregator/client.ts";
import { createClient, DEFAULT_CLIENT_SETTINGS } from "../../../src/io/aggregator/client.ts";
import type { Handler, LocalServer } from "../local-server.ts";
import { startServer } from "../local-server.ts";

export type Fixture = {
  readonly server: LocalServer;
  readonly client: Client;
  readonly close: () => Promise<void>;
};

/** Time limits that no healthy exchange on this machine reaches, and a small cap on bodies. */
export const TEST_SETTINGS = {
  ...DEFAULT_CLIENT_SETTINGS,
  rate: { requestsPerSecond: 1_000, concurrency: 16 },
  timeouts: { connectMs: 10_000, responseMs: 10_000, requestMs: 20_000 },
  maxBodyBytes: 20_000,
  retries: { limit: 0, firstDelayMs: 1, longestDelayMs: 5 },
} as const satisfies Omit<ClientSettings, "baseUrl">;

export function clientTo(
  baseUrl: string,
  settings: Partial<ClientSettings> = {},
  overrides: WireOverrides = {},
): Client {
  const profile = compileProfile(overrides);
  if (!profile.ok) throw new Error(JSON.stringify(profile.problem));
  return createClient({
    settings: { ...TEST_SETTINGS, baseUrl, ...settings },
    profile: profile.value,
    clock: { now: () => Date.now() },
    random: () => 0.5,
  });
}

/** A real server, and a client to it. */
export async function connect(
  handler: Handler,
  settings: Partial<ClientSettings> = {},
  overrides: WireOverrides = {},
): Promise<Fixture> {
  const server = await startServer(handler);
  const client = clientTo(server.baseUrl, settings, overrides);
  return {
    server,
    client,
    close: async () => {
      client.close();
      await server.close();
    },
  };
}

/** For the tests that wait for a time-out, so that they do not wait for long. */
export const IMPATIENT = { connectMs: 10_000, responseMs: 150, requestMs: 300 };

export const never = new AbortController().signal;
