import { isIP } from "node:net";
import { getConnInfo } from "@hono/node-server/conninfo";
import type { Context, MiddlewareHandler } from "hono";
import { addressRanges, plainAddress, type AddressRanges } from "./address-ranges.ts";

/** Under which names the server answers, and which proxies' headers it believes; as the config in force says. */
export type Access = {
  readonly hosts: readonly string[];
  /** IP addresses and ranges. */
  readonly trustedProxies: readonly string[];
};

/**
 * Answers only under the names that it is known by. A web page can point its own name at this address (DNS
 * rebinding), and a browser then lets the page read the answers; but it sends that name as `Host`. An IP address
 * cannot be pointed elsewhere, so each one passes: probes and scrapers use them.
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

/** Characters of a host name that a reply repeats; no real name has more. */
const MOST_SHOWN = 253;

/** Every name in a request: the one it was sent to, and the one that a trusted proxy was asked by. */
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

/** Who sent a request: the other end of the socket; if that is a trusted proxy, the client that it names. */
export function clientOf(context: Context, { trustedProxies }: Access): string {
  const peer = peerOf(context);
  const forwarded = context.req.header("x-forwarded-for");
  if (forwarded === undefined) return peer;
  return firstUntrusted(peer, forwarded, addressRanges(trustedProxies));
}

/**
 * Each proxy adds the address that it was called from at the end, so the list is read from there, for as long as
 * those who vouch are trusted. What comes before was written by the client, and may be invented.
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
