import { isIP } from "node:net";
import { getConnInfo } from "@hono/node-server/conninfo";
import type { Context, MiddlewareHandler } from "hono";
import { addressRanges, plainAddress, type AddressRanges } from "./address-ranges.ts";

/** The host names that the server answers to, and the proxies whose headers it trusts, from the config in force. */
export type Access = {
  readonly hosts: readonly string[];
  /** IP addresses and ranges. */
  readonly trustedProxies: readonly string[];
};

/**
 * Answers only requests for a known host name. A web page can point its own name at this address (DNS rebinding), and
 * the browser then lets the page read the answers; but it sends that name as `Host`. An IP address cannot be pointed
 * elsewhere, so every one passes: probes and scrapers use them.
 */
export function requireKnownHost(access: () => Access): MiddlewareHandler {
  return async (context, next) => {
    const unknown = hostsOf(context, access()).find((host) => !isKnown(host, access().hosts));
    if (unknown === undefined) return next();
    const name = JSON.stringify(unknown.slice(0, MOST_SHOWN));
    const error = `aggwatch is not known by the host name ${name}; if it should be, add it to server.hosts in the config`;
    return context.json({ error }, 421);
  };
}

/** In characters: the part of a host name that a reply repeats. No real name is longer. */
const MOST_SHOWN = 253;

/** The host names of a request: its `Host`, and the `X-Forwarded-Host` of a trusted proxy. */
function hostsOf(context: Context, { trustedProxies }: Access): string[] {
  const host = context.req.header("host");
  const forwarded = context.req.header("x-forwarded-host");
  const isBelieved =
    forwarded !== undefined && addressRanges(trustedProxies).includes(peerOf(context));
  // Browsers always send a Host, so a request without one is not a rebinding.
  return [...(host === undefined ? [] : [host]), ...(isBelieved ? forwarded.split(",") : [])];
}

function isKnown(host: string, hosts: readonly string[]): boolean {
  const written = host.trim().toLowerCase();
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/.exec(written)?.[1];
  if (bracketed !== undefined) return isIP(bracketed) === 6;
  const name = written.replace(/:\d*$/, "").replace(/\.$/, "");
  if (name === "localhost" || isIP(name) === 4) return true;
  return hosts.some((known) => known.toLowerCase() === name);
}

/** The client's address: the other end of the socket or, behind trusted proxies, the client that they name. */
export function clientOf(context: Context, { trustedProxies }: Access): string {
  const peer = peerOf(context);
  const forwarded = context.req.header("x-forwarded-for");
  if (forwarded === undefined) return peer;
  return firstUntrusted(peer, forwarded, addressRanges(trustedProxies));
}

/**
 * Each proxy appends the address that called it, so the list is read from its end, as long as the sender of each entry
 * is trusted. The client wrote the rest, and may have invented it.
 */
function firstUntrusted(peer: string, forwarded: string, trusted: AddressRanges): string {
  let client = peer;
  for (const hop of forwarded.split(",").toReversed()) {
    const address = plainAddress(hop.trim());
    if (!trusted.includes(client) || isIP(address) === 0) return client;
    client = address;
  }
  return client;
}

/** The address of the other end of the socket. */
function peerOf(context: Context): string {
  try {
    return plainAddress(getConnInfo(context).remote.address ?? "unknown");
  } catch {
    // The request did not come over a socket, as in a test.
    return "unknown";
  }
}
