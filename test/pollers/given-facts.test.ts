/** Tests src/pollers: that a reading gives every fact that its kinds declare. */
import { expect, test } from "vitest";
import { readEndpoints } from "../../src/aggregator/endpoints/index.ts";
import type { Reply } from "../../src/aggregator/endpoints/index.ts";
import type { Facts, KindDefinition, Lookup } from "../../src/domain/entity.ts";
import { kinds } from "../../src/pollers/kinds.ts";
import { pollers } from "../../src/pollers/index.ts";
import { NOTHING_WATCHED, type WatchList } from "../../src/pollers/poller.ts";
import { DEFAULT_STATUSES } from "../../src/pollers/status-words.ts";

/** What the examples of the endpoints are about. */
function inExamples(field: string): string {
  const text = JSON.stringify(Object.values(readEndpoints).map(({ reply }) => reply.example));
  const found = new RegExp(`"${field}":"([^"]+)"`).exec(text)?.[1];
  if (found === undefined) throw new Error(`no example has ${field}`);
  return found;
}

const watch: WatchList = {
  ...NOTHING_WATCHED,
  senders: [{ address: inExamples("sender") }],
  liquidations: [{ id: inExamples("id") }],
  orderStatuses: { spot: ["ACCEPTED"], futures: [] },
};

/** The facts of every entity that the examples show, by kind. */
function readExamples(): ReadonlyMap<string, readonly Facts[]> {
  const found = new Map<string, Facts[]>();
  for (const { plan, read } of pollers)
    for (const surface of plan(watch)) {
      const replies = surface.requests.map(({ endpoint }) => {
        const decoded = readEndpoints[endpoint].decode(
          readEndpoints[endpoint].reply.example,
          "milliseconds",
        );
        if (!decoded.ok) throw new Error(`the example of ${endpoint} cannot be decoded`);
        return { endpoint, value: decoded.value } as Reply;
      });
      const reading = read(surface, replies, { watch, statuses: DEFAULT_STATUSES });
      if (!reading.ok) throw new Error(reading.failure.message);
      for (const { kind, facts } of reading.entities)
        found.set(kind, [...(found.get(kind) ?? []), facts]);
    }
  return found;
}

test("every fact of a kind is given by a reading, or follows from others", () => {
  const found = readExamples();
  const lookup: Lookup = {
    // What the core derives itself has no reading.
    one: (kind) =>
      found.get(kind)?.[0] ??
      Object.fromEntries(Object.keys(kinds.get(kind)?.facts ?? {}).map((name) => [name, 1_000])),
    all: (kind) => found.get(kind),
  };
  const givenOf = ({ kind, enrich, whenAbsent }: KindDefinition): ReadonlySet<string> =>
    new Set(
      [
        ...(found.get(kind) ?? []).map((facts) => enrich?.(facts, lookup) ?? facts),
        whenAbsent === "gone" ? {} : whenAbsent,
      ].flatMap((facts) =>
        Object.entries(facts).flatMap(([name, value]) => (value === undefined ? [] : [name])),
      ),
    );
  const lacking = pollers
    .flatMap((poller) => poller.kinds)
    .filter(({ derived }) => derived !== true)
    .flatMap((definition) => {
      const given = givenOf(definition);
      return Object.keys(definition.facts)
        .filter((name) => !given.has(name))
        .map((name) => `${definition.kind}.${name}`);
    });
  expect(lacking).toEqual([]);
});
