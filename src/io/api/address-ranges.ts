import { BlockList, isIP } from "node:net";

/** IP addresses and ranges (`10.0.0.0/8`), and whether they include an address. */
export type AddressRanges = { readonly includes: (address: string) => boolean };

/** An invalid address is in no range, and the config refuses an invalid range. */
export function addressRanges(written: readonly string[]): AddressRanges {
  const list = new BlockList();
  for (const one of written) {
    const [address = "", bits] = one.split("/");
    const family = familyOf(address);
    if (family === undefined) continue;
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return {
    includes: (address) => {
      const family = familyOf(address);
      return family !== undefined && list.check(address, family);
    },
  };
}

function familyOf(address: string): "ipv4" | "ipv6" | undefined {
  const family = isIP(address);
  if (family === 0) return undefined;
  return family === 4 ? "ipv4" : "ipv6";
}

/** An IPv4 address in its plain form: a socket for both families shows it as `::ffff:10.0.0.1`. */
export function plainAddress(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}
