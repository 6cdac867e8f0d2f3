import { describe, expect, it } from "vitest";
import { roleOf } from "../../../src/run/replica/role.ts";

const LEASE = { epoch: 3, leftMs: 1_000 };

describe("roleOf", () => {
  it("says who decides", () => {
    expect(roleOf("a", { isOwner: true, lease: LEASE }, undefined)).toBe("owner: a, epoch 3");
    expect(roleOf("b", { isOwner: false, lease: undefined }, "a/1f6e")).toBe(
      "standby: b; a/1f6e has the lease",
    );
  });

  it("claims of no lease that nobody has it: that is not known", () => {
    expect(roleOf("b", { isOwner: false, lease: undefined }, undefined)).toBe(
      "standby: b; who has the lease is not known",
    );
  });

  it("does not say of one whose lease has run out that it has it", () => {
    const lease = { ...LEASE, leftMs: 0 };
    expect(roleOf("a", { isOwner: false, lease }, undefined)).toBe(
      "standby: a; its lease, epoch 3, has run out, and another may have it",
    );
  });

  it("does not say of one that has the lease and reads the rows, or hangs, that another has it", () => {
    expect(roleOf("a", { isOwner: false, lease: LEASE }, undefined)).toBe(
      "standby: a; it has the lease, epoch 3, and does not act",
    );
  });
});
