import { succeed } from "../../domain/result.ts";
import { HOME } from "../../domain/lease.ts";
import type { Effect } from "../../domain/step.ts";
import type { Sources, WatchdogSetup } from "../../run/setup.ts";
import type { RunOptions } from "../outcome.ts";
import type { RunEvent } from "../run-event.ts";
import type { SentRequest } from "./network.ts";
import { createPendingActions } from "./pending-actions.ts";
import { createReceiver, RECEIVER } from "./receiver.ts";
import { setupOf } from "./simulated-setup.ts";
import type { VirtualTime } from "./virtual-time.ts";
import type { Observers, SimulatedWorld } from "./world.ts";

/** Observers that see only answers to the owner of a lease: other answers are not part of the run. */
export function ofOwner(world: () => SimulatedWorld, observers: Observers): Observers {
  const observe = (seen: RunEvent): void => {
    const { replicas } = world();
    const unit = replicas === undefined ? HOME : replicas.answeringFor();
    if (unit !== undefined) observers.observe(seen, unit);
  };
  return { ...observers, observe };
}

/** The surroundings of a process: servers, network and kill file, and the observers of what it does. */
export function surroundingsOf(world: SimulatedWorld, observers: Observers) {
  const { time, random, aggregators } = world;
  const { observe } = observers;
  const pending = createPendingActions();
  const receiver = createReceiver(time, ofOwner(() => world, observers).observe);
  const servers = [...aggregators.values(), receiver];
  return {
    random,
    killFileExists: () => world.killFileExists,
    serverAt: (url: URL) => servers.find(({ baseUrl }) => url.href.startsWith(`${baseUrl}/`)),
    networkFaultsOf: (aggregator: string) => world.networkFaults.get(aggregator) ?? {},
    observe: (seen: RunEvent, unit = HOME) => {
      if (unit !== HOME) return observe(seen, unit);
      if (seen.type === "step" && seen.durable) pending.add(seen.result.effects);
      observe(seen);
      if (seen.type !== "step") return;
      world.stalls.take(seen.result.effects);
      controlAtConfirmation(world, seen.result.effects);
    },
    onLeft: (request: SentRequest, unit = HOME) => {
      if (request.server.name !== RECEIVER) observe(leftOf(time, request, pending.take), unit);
    },
  };
}

/** Settings and rules as files that change: loading them gives the variant that they hold now. */
export function sourcesOf(
  world: SimulatedWorld,
  options: RunOptions,
  part: (whole: WatchdogSetup) => WatchdogSetup = (whole) => whole,
): Sources {
  let read = world.variant;
  return {
    load: (why) => {
      const found = world.variant;
      if (why === "reload") read = found;
      const setup = part(setupOf(world.plan, found, options.rules));
      return succeed({ setup, changes: [], accept: () => undefined });
    },
    lastAccepted: () => undefined,
    isOutdated: () => read !== world.variant,
    directories: () => [],
    onHangup: (listener) => {
      world.hangups.add(listener);
      return () => void world.hangups.delete(listener);
    },
    another: () => sourcesOf(world, options, part),
  };
}

function controlAtConfirmation(world: SimulatedWorld, effects: readonly Effect[]): void {
  if (!effects.some((one) => one.type === "probe" && one.why === "confirm")) return;
  const { controlAtConfirmation: what } = world;
  world.controlAtConfirmation = undefined;
  if (what !== undefined) world.aggregators.get(what.aggregator)?.control(what.command);
}

function leftOf(
  time: VirtualTime,
  { server, outgoing, purpose, credential, isDirect }: SentRequest,
  take: (aggregator: string, path: string) => string | undefined,
): RunEvent {
  const path = outgoing.url.pathname.slice(new URL(server.baseUrl).pathname.length);
  const remediation = purpose === "act" ? take(server.name, path) : undefined;
  return {
    type: "sent",
    at: time.now(),
    aggregator: server.name,
    method: outgoing.method,
    path,
    purpose,
    credential,
    ...(isDirect ? { isDirect } : {}),
    ...(remediation === undefined ? {} : { remediation }),
  };
}
