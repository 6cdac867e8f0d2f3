import { isDeepStrictEqual } from "node:util";
import type { Purpose } from "../../domain/http.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import type { Instant, Millis } from "../../domain/time.ts";
import type { HttpReply } from "../../domain/http.ts";
import type { CreateSender, Outgoing, SenderOptions } from "../../io/http/http-send.ts";
import type { OpenRoute } from "../../io/http/route.ts";
import { outdatedFailure, type SendFailure } from "../../io/http/send-failure.ts";
import type { Machine } from "./machines.ts";
import type { VirtualTime } from "./virtual-time.ts";
import { between, chance, type RandomState } from "../../simulator/model/random.ts";
import type { SimulatorReply } from "../../simulator/routes/reply.ts";
import { ACT_KEY, READ_KEY, type SimulatedAggregator } from "./simulated-aggregator.ts";
import type { NetworkFaults } from "../plan.ts";
import { corruptListing } from "./corrupt-listing.ts";

/** The other end: an aggregator, or the receiver. */
export type Server = Pick<SimulatedAggregator, "name" | "baseUrl"> & {
  /** Called when the request arrives. */
  readonly handle: (outgoing: Outgoing, sentAt: Instant) => SimulatorReply;
};

/** A request that has passed the gate, on its way. */
export type SentRequest = {
  readonly server: Server;
  readonly outgoing: Outgoing;
  readonly purpose: Purpose;
  /** Which key it carries. */
  readonly credential: Purpose | "none";
  /** It bypasses the proxy that the settings name. */
  readonly isDirect: boolean;
};

export type NetworkWorld = {
  readonly time: VirtualTime;
  readonly random: RandomState;
  /** The server that a request to this address reaches. */
  readonly serverAt: (url: URL) => Server | undefined;
  readonly networkFaultsOf: (aggregator: string) => NetworkFaults;
};

/** The process that sends, and may die meanwhile. */
export type NetworkClient = {
  readonly isAlive: () => boolean;
  /** The machine that it runs on, if there are several: nothing reaches it while the machine is paused. */
  readonly machine?: Machine;
  readonly onLeft: (request: SentRequest) => void;
  /** The process is about to get the answer. */
  readonly onAnswered: (request: SentRequest) => void;
};

/** The only way to any server: a direct connection is refused. */
export const THROUGH_THE_PROXY = {
  proxy: { host: "proxy.invalid", port: 3_128 },
} as const satisfies OpenRoute;

/** A good network: a few milliseconds each way. */
const USUAL_DELAY = { least: 1, most: 12 };

type Sent = Result<HttpReply, SendFailure>;

/**
 * The network between a process and the servers, in place of sockets. A request that was sent stays on its
 * way even if its sender dies.
 */
export function createNetwork(world: NetworkWorld, user: NetworkClient): CreateSender {
  return (options) => {
    // The client keeps connections for reading, and opens a new one for each action.
    const purpose: Purpose = options.keepAlive ? "read" : "act";
    return {
      send: (outgoing, signal, outdated) => {
        const problem = outdated?.();
        if (problem !== undefined) return Promise.resolve(fail(outdatedFailure(problem)));
        const server = world.serverAt(outgoing.url);
        if (server === undefined) return Promise.resolve(notConnected("ENOTFOUND"));
        const credential = credentialOf(outgoing.headers);
        const isDirect = !isDeepStrictEqual(options.route, THROUGH_THE_PROXY);
        const request = { server, outgoing, purpose, credential, isDirect };
        if (!isDirect) return carry(world, user, request, options, signal);
        user.onLeft(request);
        return Promise.resolve(notConnected("ECONNREFUSED"));
      },
      close: () => undefined,
    };
  };
}

function carry(
  world: NetworkWorld,
  user: NetworkClient,
  request: SentRequest,
  options: SenderOptions,
  signal: AbortSignal,
): Promise<Sent> {
  const { time, random } = world;
  const { timeouts, maxBodyBytes } = options;
  const faults = world.networkFaultsOf(request.server.name);
  const sentAt = time.now();
  return new Promise((resolve) => {
    // A dead process sends and receives nothing.
    if (!user.isAlive()) return;
    let isOver = false;
    const onAbort = (): void => settle(givenUp());
    const settleNow = (sent: Sent): void => {
      if (isOver || !user.isAlive()) return;
      isOver = true;
      signal.removeEventListener("abort", onAbort);
      user.onAnswered(request);
      if (user.isAlive()) resolve(sent);
    };
    const settle = (sent: Sent): void => {
      if (user.machine === undefined) settleNow(sent);
      else user.machine.run(() => settleNow(sent));
    };
    signal.addEventListener("abort", onAbort, { once: true });
    const later = (delay: Millis, run: () => void): void => void time.at(time.now() + delay, run);
    const legs = [legOf(random, faults), legOf(random, faults)] as const;
    if (chance(random, faults.refused ?? 0))
      return later(legs[0], () => settle(notConnected("ECONNREFUSED")));
    user.onLeft(request);
    const patience = Math.min(timeouts.responseMs, timeouts.requestMs);
    later(patience, () => settle(timedOut()));
    if (chance(random, faults.requestLost ?? 0)) return;
    const isReplyLost = chance(random, faults.replyLost ?? 0);
    const isCut = chance(random, faults.cut ?? 0);
    later(legs[0], () => {
      const reply = request.server.handle(request.outgoing, sentAt);
      if (isReplyLost) return;
      const arrival = legs[1] + (reply.outcome === "answered" ? reply.delayMs : reply.closeAfterMs);
      if (!Number.isFinite(arrival)) return;
      const isGone = isCut || reply.outcome === "silent";
      later(arrival, () =>
        settle(isGone ? broken() : arrived(reply, maxBodyBytes, random, faults)),
      );
    });
  });
}

function credentialOf(headers: Outgoing["headers"]): Purpose | "none" {
  const values = Object.values(headers);
  if (values.includes(ACT_KEY.value)) return "act";
  return values.includes(READ_KEY.value) ? "read" : "none";
}

function legOf(random: RandomState, { delay = USUAL_DELAY }: NetworkFaults): Millis {
  return Math.round(between(random, delay.least, delay.most));
}

function arrived(
  reply: Extract<SimulatorReply, { outcome: "answered" }>,
  maxBodyBytes: number,
  random: RandomState,
  faults: NetworkFaults,
): Sent {
  const { status } = reply;
  const body = status === 200 ? corruptListing(reply.body, random, faults) : reply.body;
  // A changed body loses its tag, as the tag stands for the original bytes.
  const { etag: _, ...untagged } = reply.headers;
  const headers = body === reply.body ? reply.headers : untagged;
  if (Buffer.byteLength(body) > maxBodyBytes) {
    const message = `the body is larger than ${maxBodyBytes} bytes`;
    return fail({ reason: "too_large", message, neverSent: false, status, headers });
  }
  return succeed({ status, headers, body });
}

/** With the messages and the certainty of src/io/http. */
const timedOut = (): Sent =>
  fail({ reason: "timeout", message: "timed out (response)", neverSent: false });
const broken = (): Sent =>
  fail({ reason: "connect", message: "the connection broke (ECONNRESET)", neverSent: false });
const givenUp = (): Sent =>
  fail({ reason: "cancelled", message: "given up before it ended", neverSent: false });
const notConnected = (code: string): Sent =>
  fail({ reason: "connect", message: `cannot connect (${code})`, neverSent: true });
