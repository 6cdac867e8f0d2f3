/** Tests deploy/: how long each way to run a replica waits for its end. */
import { expect, it } from "vitest";
import { parseDocument } from "yaml";
import { journalSchema } from "../../src/config/settings/settings-schema.ts";
import { SECOND } from "../../src/domain/time.ts";
import { read } from "./rule-files.ts";

/** `!override` is Compose's own. */
const override = { tag: "!override", collection: "seq" } as const;

/** The default lease, in milliseconds. */
const LEASE =
  journalSchema.parse({ postgres: { url_env: "DATABASE_URL" } }).postgres?.lease ?? Infinity;

it("a replica has the time of two leases to end, as it waits for its own if the database does not answer", () => {
  const compose = parseDocument(read("deploy/compose.replicas.yaml"), {
    merge: true,
    customTags: [override],
  }).toJS() as {
    readonly services: Readonly<Record<string, { readonly stop_grace_period?: string }>>;
  };
  const graces = {
    ...Object.fromEntries(
      ["aggwatch", "aggwatch-b"].map((name) => [
        name,
        Number.parseInt(compose.services[name]?.stop_grace_period ?? "", 10),
      ]),
    ),
    systemd: Number(/^TimeoutStopSec=(\d+)$/m.exec(read("deploy/systemd/aggwatch.service"))?.[1]),
    kubernetes: Number(
      /terminationGracePeriodSeconds: (\d+)$/m.exec(
        read("deploy/kubernetes/replicas/deployment.yaml"),
      )?.[1],
    ),
  };
  for (const [name, seconds] of Object.entries(graces))
    expect(seconds * SECOND, name).toBeGreaterThanOrEqual(2 * LEASE);
});
