import { describe, expect, it, type TestContext } from "vitest";
import type { Delivery } from "../../../src/domain/notification.ts";
import { SECOND } from "../../../src/domain/time.ts";
import { systemClock } from "../../../src/io/process/clock.ts";
import { createSender } from "../../../src/io/http/http-send.ts";
import { deliver, QUICK_RETRIES } from "../../../src/io/notify/deliver.ts";
import { createRedactor } from "../../../src/io/redact/redactor.ts";
import { accept, refuseWith, startReceiver, type Receiver } from "../../acceptance/receiver.ts";

const SECRET = "/services/T0/B0/very-secret";

const NO_EMAIL = () => Promise.reject(new Error("a POST is not an email"));

/** One delivery to a real receiver, with retries that come at once. */
async function send(
  context: TestContext,
  receiver: Receiver,
  change: { readonly limit?: number; readonly signal?: AbortSignal } = {},
): Promise<Delivery | undefined> {
  const sender = createSender({
    timeouts: { connectMs: SECOND, responseMs: 200, requestMs: SECOND },
    maxBodyBytes: 1_000,
    connections: 2,
    keepAlive: true,
  });
  context.onTestFinished(sender.close);
  const { redact } = createRedactor([receiver.url + SECRET]);
  const { limit = 0, signal = new AbortController().signal } = change;
  return deliver(
    () => ({ url: `${receiver.url}${SECRET}`, headers: { "x-own": "1" }, body: [1] }),
    {
      sender: { ...sender, sendEmail: NO_EMAIL },
      clock: systemClock(0),
      random: () => 0,
      redact,
      signal,
    },
    { ...QUICK_RETRIES, limit, firstDelayMs: 1 },
  );
}

describe("a notification that is sent", () => {
  it("is a POST of JSON, once if it is taken", async (context) => {
    const receiver = await startReceiver(context);
    expect(await send(context, receiver, { limit: 3 })).toMatchObject({ outcome: "delivered" });
    expect(receiver.seen).toHaveLength(1);
    expect(receiver.seen[0]).toMatchObject({
      method: "POST",
      url: SECRET,
      body: "[1]",
      headers: { "content-type": "application/json", "x-own": "1" },
    });
  });

  it.for([
    [200, "delivered"],
    [202, "delivered"],
    [400, "refused"],
    [401, "denied"],
    [403, "denied"],
    [404, "denied"],
    [408, "failed"],
    [410, "denied"],
    [413, "refused"],
    [422, "refused"],
    [429, "failed"],
    [500, "failed"],
    [503, "failed"],
  ] as const)("is by its status %i %s", async ([status, outcome], context) => {
    const receiver = await startReceiver(context);
    receiver.answers = refuseWith(status, {}, "said so");
    const delivery = await send(context, receiver);
    expect(delivery).toMatchObject({ outcome, detail: `status ${status}: said so` });
  });

  it("is sent again at once if that may help, and not if it cannot", async (context) => {
    const receiver = await startReceiver(context);
    receiver.answers = (seen, response) =>
      (receiver.seen.length < 3 ? refuseWith(503) : accept)(seen, response);
    expect(await send(context, receiver, { limit: 3 })).toMatchObject({ outcome: "delivered" });
    expect(receiver.seen).toHaveLength(3);
    const denying = await startReceiver(context);
    denying.answers = refuseWith(403);
    await send(context, denying, { limit: 3 });
    expect(denying.seen).toHaveLength(1);
  });

  it("is not sent before the time that the receiver asks for", async (context) => {
    const receiver = await startReceiver(context);
    receiver.answers = refuseWith(429, { "retry-after": "120" });
    const delivery = await send(context, receiver, { limit: 3 });
    expect(delivery).toMatchObject({ outcome: "failed", retryAfterMs: 120 * SECOND });
    expect(receiver.seen).toHaveLength(1);
  });

  it("follows no redirect", async (context) => {
    const elsewhere = await startReceiver(context);
    const receiver = await startReceiver(context);
    receiver.answers = refuseWith(302, { location: elsewhere.url });
    expect(await send(context, receiver)).toMatchObject({ outcome: "denied" });
    expect(elsewhere.seen).toEqual([]);
  });

  it("says where a redirect points, and no secret of an address", async (context) => {
    const receiver = await startReceiver(context);
    const detailFor = async (location: string): Promise<string | undefined> => {
      receiver.answers = refuseWith(302, { location }, "{}");
      return (await send(context, receiver))?.detail;
    };
    const said = (target: string): string =>
      `status 302 points elsewhere (${target}); redirects are not followed`;
    expect(await detailFor("https://me:pass@sso.example/login?token=x#y")).toBe(
      said("https://sso.example/login"),
    );
    expect(await detailFor("/login?token=x")).toBe(said("/login"));
    for (const location of [SECRET, `https://hooks.example${SECRET}`])
      expect(await detailFor(location)).not.toContain("very-secret");
  });

  it("ends if the receiver never answers, or breaks off", async (context) => {
    for (const answers of [
      () => {},
      (_: unknown, response: { destroy: () => void }) => response.destroy(),
    ]) {
      const receiver = await startReceiver(context);
      receiver.answers = answers;
      expect(await send(context, receiver)).toMatchObject({ outcome: "failed" });
    }
  });

  it.for([
    [200, "delivered"],
    [400, "refused"],
    [403, "denied"],
    [503, "failed"],
  ] as const)(
    "is by its status %i %s, though the answer is too long or is cut",
    async ([status, outcome], context) => {
      for (const [size, reason] of [
        [5_000, "too_large"],
        [20, "connect"],
      ] as const) {
        const receiver = await startReceiver(context);
        receiver.answers = (_, response) => {
          response.writeHead(status, { "content-length": size });
          response.write("x".repeat(10), () => response.destroy());
        };
        expect(await send(context, receiver, { limit: 1 })).toMatchObject({
          outcome,
          detail: expect.stringContaining(`status ${status}: ${reason}`),
        });
        expect(receiver.seen).toHaveLength(outcome === "failed" ? 2 : 1);
      }
    },
  );

  it("shows no secret, though the receiver repeats it", async (context) => {
    const receiver = await startReceiver(context);
    receiver.answers = refuseWith(404, {}, `no ${receiver.url}${SECRET} here\u0007`);
    const delivery = await send(context, receiver);
    expect(delivery?.detail).toBe(`status 404: no ${receiver.url}/services/T0/B0/[redacted] here`);
  });

  it("gives nothing if it was given up", async (context) => {
    const receiver = await startReceiver(context);
    const giving = new AbortController();
    receiver.answers = () => giving.abort();
    expect(await send(context, receiver, { signal: giving.signal })).toBeUndefined();
  });
});
