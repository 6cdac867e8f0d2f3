/**
 * Whether a host is, by its name alone, this machine or inside a cluster or a network of containers, so that what is
 * sent to it in the clear stays there: no public name is one word, or ends like these. Of addresses only those of this
 * machine count, as a private address may be anywhere in a large network.
 */
export function isInternalHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, "");
  if (host.startsWith("[")) return LOOPBACK_IPV6.test(host);
  if (/^[\d.]+$/.test(host)) return LOOPBACK_IPV4.test(host);
  return !host.includes(".") || INTERNAL_ENDS.test(host);
}

/** What a hint adds about such hosts. */
export const OR_INTERNAL =
  "or a host that is inside your network by its name: one word, or ending in .svc, .internal or .local";

const LOOPBACK_IPV4 = /^127(?:\.\d{1,3}){3}$/;
/** `::1`, and 127.0.0.0/8 within IPv6. */
const LOOPBACK_IPV6 = /^\[::(?:1|ffff:(?:7f[\da-f]{2}:[\da-f]{1,4}|127(?:\.\d{1,3}){3}))\]$/;
const INTERNAL_ENDS = /\.(?:localhost|svc|internal|local)$/;
