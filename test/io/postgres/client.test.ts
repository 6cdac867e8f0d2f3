import { expect, it, type TestContext } from "vitest";
import { message, startAnswering } from "./answering.ts";
import { connect } from "./fixture.ts";

const BUSY = message("E", "SFATAL\0C53300\0Msorry, too many clients already\0\0");
const READY = message("Z", "I");

async function refused(context: TestContext, answer: Buffer): Promise<string> {
  const server = await startAnswering(context, answer);
  const { transaction } = await connect(context, server.url);
  const done = await transaction(async (ask) => await ask("SELECT 1"));
  await server.closed;
  return done.ok ? "it was answered" : done.problem.detail;
}

const CASES = {
  "refuses it": [BUSY, /^sorry, too many clients already$/],
  "refuses it, and goes on": [Buffer.concat([BUSY, READY]), /^sorry, too many clients already$/],
  "does not know SCRAM": [message("R", "\0\0\0\x0aPLAIN\0\0"), /^SASL: /],
  "asks for Kerberos": [message("R", "\0\0\0\x07"), /^it asks for a way to log in/],
  "ends a message too early": [message("R", "\0"), /^its answer cannot be read: /],
  "ends a row too early": [message("D", "\0\x09"), /^its answer cannot be read: /],
} as const;

for (const [what, [answer, why]] of Object.entries(CASES))
  it(`a connection is closed if the server ${what}`, async (context) => {
    expect(await refused(context, answer)).toMatch(why);
  });
