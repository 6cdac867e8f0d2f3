/** Tests src/io/aggregator/decode-body.ts: numbers that a double cannot hold. */
import { afterEach, expect, test } from "vitest";
import { connect, never, type Fixture } from "./client-fixture.ts";

let fixture: Fixture | undefined;
afterEach(async () => await fixture?.close());

const BODY = '[{"id": 12345678901234567890, "status": "NEW", "amount": 9007199254740993}]';
const MAPS = {
  id: '[$.{ "id": $string(id), "status": status }]',
  amount: '[$.{ "id": $string(id), "status": status, "amount": amount }]',
};

async function read(map: string) {
  fixture = await connect((_seen, response) => response.end(BODY), {}, { ordersByStatus: { map } });
  return await fixture.client.read("ordersByStatus", { status: "NEW" }, { signal: never });
}

test("an id that is a number of twenty digits is whole", async () => {
  expect(await read(MAPS.id)).toMatchObject({ value: [{ id: "12345678901234567890" }] });
});

test("an amount that would lose a digit is refused, as such a text is", async () => {
  expect(await read(MAPS.amount)).toMatchObject({
    problem: {
      reason: "mismatch",
      message: '$[0].amount: expected a whole number of at most 2^53, received "9007199254740993"',
    },
  });
});
