import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { NO_NOTIFICATIONS } from "../../src/config/settings/resolve-notify.ts";
import { succeed } from "../../src/domain/result.ts";
import type { Notification } from "../../src/domain/notification.ts";
import { createRedactor } from "../../src/io/redact/redactor.ts";
import type { Event } from "../../src/domain/step.ts";
import { createNotifying } from "../../src/run/notifying.ts";
import { alert, batch } from "../notifiers/batches.ts";
import { HOOK } from "./hook.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const GRACE = 100;
const SECRET = "0c1d-a-secret";

/** A channel whose receiver fails each request. */
function failing() {
  const now = { sent: 0, closed: 0, isAbandoned: false, isRecorded: true, body: "", reply: "" };
  const pushed: Event[] = [];
  const { perform, stop } = createNotifying({
    settings: () => ({ ...NO_NOTIFICATIONS, channels: [HOOK] }),
    push: (event) => void pushed.push(event),
    isRecorded: () => now.isRecorded,
    isAbandoned: () => now.isAbandoned,
    clock: { now: () => 0 },
    random: () => 0,
    createSender: () => ({
      send: async ({ body }) => {
        now.sent += 1;
        now.body = String(body);
        return await Promise.resolve(succeed({ status: 503, headers: {}, body: now.reply }));
      },
      close: () => void (now.closed += 1),
    }),
    redactor: createRedactor([SECRET]),
    graceMs: GRACE,
  });
  return { now, stop, pushed, send: (one = batch(alert("BINANCE"))) => perform(one) };
}

it("a message that fails is sent again soon", async () => {
  const { now, send } = failing();
  send();
  await vi.runAllTimersAsync();
  expect(now.sent).toBe(3);
});

it("once another replica is the owner, it is not sent again", async () => {
  const { now, send } = failing();
  send();
  await vi.advanceTimersByTimeAsync(0);
  expect(now.sent).toBe(1);
  now.isAbandoned = true;
  await vi.runAllTimersAsync();
  expect(now.sent).toBe(1);
});

it("nor is one that was asked for right before", async () => {
  const { now, send } = failing();
  send();
  now.isAbandoned = true;
  await vi.runAllTimersAsync();
  expect(now.sent).toBe(0);
});

it("one that cannot be written is not sent, as that of a later version in the journal", async () => {
  const { now, send, pushed } = failing();
  const { items, ...rest } = batch(alert("BINANCE"));
  const later = { type: "digest", title: "of a later version" } as unknown as Notification;
  send({ ...rest, items: items.map((item) => ({ ...item, notification: later })) });
  await vi.runAllTimersAsync();
  expect(now.sent).toBe(0);
  expect(pushed).toMatchObject([{ type: "notified", delivery: { outcome: "unwritten" } }]);
  expect(pushed).toMatchObject([
    { delivery: { detail: expect.stringMatching(/^aggwatch cannot write it: ./) as string } },
  ]);
});

it("is not sent twice if it is asked for again while it is under way, and the next one is sent", async () => {
  const { now, send, pushed } = failing();
  send();
  send();
  await vi.runAllTimersAsync();
  expect([now.sent, pushed.length]).toEqual([3, 1]);
  send();
  await vi.runAllTimersAsync();
  expect([now.sent, pushed.length]).toEqual([6, 2]);
});

it("a stop waits for what is under way, but not for long, closes the connections and sends nothing after", async () => {
  const { now, send, stop, pushed } = failing();
  send();
  await vi.advanceTimersByTimeAsync(0);
  let isOver = false;
  const stopped = stop().then(() => (isOver = true));
  await vi.advanceTimersByTimeAsync(GRACE - 1);
  expect([isOver, now.closed]).toEqual([false, 0]);
  await vi.advanceTimersByTimeAsync(1);
  await stopped;
  send();
  await vi.runAllTimersAsync();
  // What was not delivered waits on disk: the next start sends it.
  expect([now.sent, now.closed, pushed]).toEqual([1, 1, []]);
});

it("a stop of what is quick leaves no timer, which would keep the process alive", async () => {
  const { stop } = failing();
  await stop();
  expect(vi.getTimerCount()).toBe(0);
});

it("a secret that the receiver repeats is not kept with the outcome", async () => {
  const { now, send, pushed } = failing();
  now.reply = `no such token: ${SECRET}`;
  send();
  await vi.runAllTimersAsync();
  expect(pushed).toMatchObject([
    { delivery: { detail: expect.stringContaining("no such token: ") as string } },
  ]);
  expect(JSON.stringify(pushed)).not.toContain(SECRET);
});

it("nothing is sent after a stop, though nothing was under way by then", async () => {
  const { now, send, stop, pushed } = failing();
  await stop();
  send();
  await vi.runAllTimersAsync();
  expect([now.sent, pushed]).toEqual([0, []]);
});

it("says that it is not recorded while the journal cannot be written, and only then", async () => {
  const { now, send } = failing();
  send();
  await vi.runAllTimersAsync();
  expect(JSON.parse(now.body)).toMatchObject({ recorded: true });
  now.isRecorded = false;
  send();
  await vi.runAllTimersAsync();
  expect(JSON.parse(now.body)).toMatchObject({ recorded: false });
});
