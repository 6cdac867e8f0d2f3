import { isDeepStrictEqual } from "node:util";
import type { Silence } from "../../domain/hold.ts";
import { HOME } from "../../domain/lease.ts";
import type { Database } from "../../io/postgres/database.ts";
import type { Service } from "../service/service.ts";

/**
 * Silences are commands to `home`, but apply to alerts everywhere, so the units of senders copy them. Rejects if the
 * database is away; the earlier copy then stays.
 */
export async function followSilences(
  { query }: Pick<Database, "query">,
  services: readonly Service[],
): Promise<void> {
  if (services.length === 0) return;
  const rows = await query(
    "SELECT value FROM state WHERE unit = $1 AND name = 'silence' AND value IS NOT NULL",
    [HOME],
  );
  const silences = rows.map(({ value }) => JSON.parse(String(value)) as Silence);
  for (const service of services) adopt(service, silences);
}

function adopt({ loop, clock }: Service, silences: readonly Silence[]): void {
  const known = loop.stateSoFar().tables.silence;
  const by = HOME;
  for (const { id, owner, reason, scope, until } of silences) {
    if (until <= clock.now() || isDeepStrictEqual(known.get(id)?.scope, scope)) continue;
    const command = { name: "silence", id, scope, until } as const;
    loop.push({ type: "command", by: owner, reason, command });
  }
  const lasting = new Set(silences.map(({ id }) => id));
  for (const id of known.keys())
    if (!lasting.has(id)) {
      const command = { name: "unsilence", silence: id, copied: true } as const;
      loop.push({ type: "command", by, reason: "it was ended", command });
    }
}
