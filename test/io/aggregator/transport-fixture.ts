import type { WireOverrides } from "../../../src/aggregator/profile.ts";
import { compileProfile } from "../../../src/aggregator/profile.ts";
import type { Transport, TransportSettings } from "../../../src/io/aggregator/transport.ts";
import { createTransport, DEFAULT_TRANSPORT } from "../../../src/io/aggregator/transport.ts";
import type { Handler, LocalServer } from "../local-server.ts";
import { startServer } from "../local-server.ts";

export type Fixture = {
  readonly server: LocalServer;
  readonly transport: Transport;
  readonly close: () => Promise<void>;
};

/** Time limits that no healthy exchange on this machine reaches, and a small cap on bodies. */
export const TEST_SETTINGS = {
  ...DEFAULT_TRANSPORT,
  rate: { requestsPerSecond: 1_000, concurrency: 16 },
  timeouts: { connectMs: 10_000, responseMs: 10_000, requestMs: 20_000 },
  maxBodyBytes: 20_000,
  retries: { limit: 0, firstDelayMs: 1, longestDelayMs: 5 },
} as const satisfies Omit<TransportSettings, "baseUrl">;

export function transportTo(
  baseUrl: string,
  settings: Partial<TransportSettings> = {},
  overrides: WireOverrides = {},
): Transport {
  const profile = compileProfile(overrides);
  if (!profile.ok) throw new Error(JSON.stringify(profile.problem));
  return createTransport({
    settings: { ...TEST_SETTINGS, baseUrl, ...settings },
    profile: profile.value,
    clock: { now: () => Date.now() },
    random: () => 0.5,
  });
}

/** A real server, and a transport to it. */
export async function connect(
  handler: Handler,
  settings: Partial<TransportSettings> = {},
  overrides: WireOverrides = {},
): Promise<Fixture> {
  const server = await startServer(handler);
  const transport = transportTo(server.baseUrl, settings, overrides);
  return {
    server,
    transport,
    close: async () => {
      transport.close();
      await server.close();
    },
  };
}

/** For the tests that wait for a time-out, so that they do not wait for long. */
export const IMPATIENT = { connectMs: 10_000, responseMs: 150, requestMs: 300 };

export const never = new AbortController().signal;
