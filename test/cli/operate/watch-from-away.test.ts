/** Tests src/cli/operate: commands that begin to watch while the daemon does not answer yet. */
import { expect, it, onTestFinished, vi } from "vitest";
import { explain, explanationSentences } from "../../../src/core/explain/explain.ts";
import { createApp } from "../../../src/io/api/server.ts";
import { startServer } from "../../../src/io/http/app-server.ts";
import { createEvents } from "../../acceptance/events.ts";
import { factIs, rule } from "../../core/fixtures.ts";
import { scriptedWorld } from "../../core/world.ts";
import { sourceOf } from "../../io/api/server-fixture.ts";
import { commandLine } from "../command-line.ts";

const RESTORING = { error: "aggwatch is reading its journal" };

const AWAY: ReadonlyArray<readonly [how: string, said: string, reply: () => Response]> = [
  ["reads its journal", RESTORING.error, () => Response.json(RESTORING, { status: 503 })],
  [
    "a proxy cannot reach",
    "does a proxy stand there",
    () => new Response("<html>", { status: 502 }),
  ],
];

const LINES: readonly string[] = [
  "alerts sender/desk-a",
  "alerts desk-a",
  "explain SwapStuck sender/desk-a",
  "explain desk-a",
];

/** A daemon in which the alert of a sender that is called desk-a fires; until it is back, it only says so. */
async function daemon(away: () => Response) {
  const own = rule({ alert: "SwapStuck", kind: "sender", when: factIs("alias", "desk-a") });
  const world = scriptedWorld({ rules: [own], probes: "silent", alsoPolled: ["swaps"] });
  const facts = { address: "0xa", alias: "desk-a" };
  world.sees("swaps", [{ kind: "sender", id: "0xa", facts }]).passes("1s");
  const source = sourceOf(world, {
    explain: (alert, id) => {
      const { policy, state } = world;
      const explanation = explain(policy, state, alert, id, world.now);
      if (explanation === undefined) return { ok: false, problem: `nothing of ${id.id}` };
      const sentences = explanationSentences(policy.kinds, explanation);
      return { ok: true, value: { explanation, sentences } };
    },
  });
  const app = createApp(source);
  let isBack = false;
  const fetch: typeof app.fetch = (request, ...more) =>
    isBack ? app.fetch(request, ...more) : away();
  const { url, close } = await startServer({ fetch }, "127.0.0.1", 0);
  onTestFinished(close);
  return { url, comesBack: () => (isBack = true) };
}

it.each(AWAY.flatMap((how) => LINES.map((line) => [line, ...how] as const)))(
  "%s --watch of a daemon that %s means whom it names once there is an answer",
  async (line, _how, said, away) => {
    const { url, comesBack } = await daemon(away);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const interrupt = new AbortController();
    const printed = createEvents<string>({ onTestFinished }, "line");
    const complained = createEvents<string>({ onTestFinished }, "complaint");
    const ended = commandLine(
      [...line.split(" "), "--watch", "--url", url],
      {},
      {
        print: printed.add,
        complain: complained.add,
        signal: interrupt.signal,
      },
    );
    await complained.first((one) => one.includes(said));
    comesBack();
    // It may be about to ask for the last time in vain.
    const shown = printed.first((one) => /SwapStuck.*bsc\/sender\/0xa/.test(one));
    await vi.advanceTimersByTimeAsync(2_000);
    await shown;
    interrupt.abort();
    expect((await ended).exitCode).toBe(0);
  },
);

it("keeps on the terminal what it said last until the daemon has answered again", async () => {
  const printed = createEvents<string>({ onTestFinished }, "line");
  const interrupt = new AbortController();
  const asked = createEvents<number>({ onTestFinished }, "question");
  const answer = (): Response => {
    asked.add(printed.all.length);
    return Response.json(RESTORING, { status: 503 });
  };
  const { url } = await daemon(answer);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const change = {
    print: printed.add,
    complain: printed.add,
    signal: interrupt.signal,
    isTerminal: true,
    width: 80,
  };
  const ended = commandLine(["alerts", "--watch", "--url", url], {}, change);
  await printed.first((line) => line.includes(RESTORING.error));
  const shown = printed.all.length;
  const again = asked.next(() => true);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await again).toBe(shown);
  interrupt.abort();
  await ended;
});

it("ends without a complaint of its own if it is interrupted before there is an answer", async () => {
  const { url } = await daemon(() => Response.json(RESTORING, { status: 503 }));
  const interrupt = new AbortController();
  const complained: string[] = [];
  const complain = (one: string): void => {
    complained.push(one);
    interrupt.abort("SIGINT");
  };
  const change = { signal: interrupt.signal, complain };
  const ran = await commandLine(["alerts", "desk-a", "--watch", "--url", url], {}, change);
  expect(ran).toMatchObject({ exitCode: 0, printed: "" });
  expect(complained).toEqual([expect.stringContaining(RESTORING.error)]);
});
