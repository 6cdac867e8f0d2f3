import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { linkSignals } from "../../../src/io/http/linked-signal.ts";

describe("linkSignals", () => {
  test("follows each of its sources, also one that is aborted already", () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const link = linkSignals(first.signal, second.signal);
    expect(link.signal.aborted).toBe(false);
    second.abort();
    expect(link.signal.aborted).toBe(true);
    expect(first.signal.aborted).toBe(false);
    expect(linkSignals(second.signal).signal.aborted).toBe(true);
  });

  test("leaves nothing on its sources once it is unlinked, and follows them no more", () => {
    const source = new AbortController();
    const link = linkSignals(source.signal);
    expect(getEventListeners(source.signal, "abort")).toHaveLength(1);
    link.unlink();
    expect(getEventListeners(source.signal, "abort")).toHaveLength(0);
    source.abort();
    expect(link.signal.aborted).toBe(false);
  });

  test("is one of many that follow a source, which has one listener for all of them", () => {
    const source = new AbortController();
    const links = Array.from({ length: 300 }, () => linkSignals(source.signal));
    expect(getEventListeners(source.signal, "abort")).toHaveLength(1);
    const [first, second, ...rest] = links;
    second?.unlink();
    // One that is unlinked while the others hear of it follows no more.
    first?.signal.addEventListener("abort", () => rest[0]?.unlink());
    source.abort();
    expect(links.filter(({ signal }) => !signal.aborted)).toEqual([second, rest[0]]);
    for (const { unlink } of links) unlink();
    expect(getEventListeners(source.signal, "abort")).toHaveLength(0);
  });
});
