import { expect, it } from "vitest";
import { addressRanges, plainAddress } from "../../../src/io/api/address-ranges.ts";

it("a range includes its addresses, of its own family, and no text that is no address", () => {
  const { includes } = addressRanges(["10.0.0.0/8", "192.168.1.7", "fd00::/8", "proxy.example"]);
  for (const inside of ["10.0.0.0", "10.255.255.255", "192.168.1.7", "fd12::1"])
    expect(includes(inside), inside).toBe(true);
  for (const outside of ["11.0.0.0", "192.168.1.8", "fe80::1", "proxy.example", "unknown", ""])
    expect(includes(outside), outside).toBe(false);
  expect(addressRanges([]).includes("127.0.0.1")).toBe(false);
});

it("an IPv4 address that a socket for both families shows is plain, and any other as it is", () => {
  expect(plainAddress("::ffff:10.0.0.1")).toBe("10.0.0.1");
  expect(plainAddress("::FFFF:10.0.0.1")).toBe("10.0.0.1");
  for (const other of ["10.0.0.1", "fe80::1", "1::ffff:10.0.0.1", "::ffff:10.0.0.1.example", ""])
    expect(plainAddress(other)).toBe(other);
});
