import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { createSharedLinks, linkSignals, onAbort } from "../../../src/io/http/linked-signal.ts";

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

describe("onAbort", () => {
  test("calls back once the source is aborted, unless it was unfollowed", () => {
    const source = new AbortController();
    const called: string[] = [];
    const unfollow = ["a", "b"].map((name) => onAbort(source.signal, () => called.push(name)));
    expect(getEventListeners(source.signal, "abort")).toHaveLength(1);
    unfollow[0]?.();
    source.abort();
    expect(called).toEqual(["b"]);
    unfollow[1]?.();
    expect(getEventListeners(source.signal, "abort")).toHaveLength(0);
  });
});

describe("createSharedLinks", () => {
  test("gives those who follow a signal at the same time one link, until the last has unlinked", () => {
    const [other, source] = [new AbortController(), new AbortController()];
    const link = createSharedLinks(other.signal);
    const [first, second] = [link(source.signal), link(source.signal)];
    expect(second.signal).toBe(first.signal);
    first.unlink();
    expect(getEventListeners(source.signal, "abort")).toHaveLength(1);
    source.abort();
    expect(second.signal.aborted).toBe(true);
    second.unlink();
    const returning = new AbortController();
    link(returning.signal).unlink();
    const third = link(returning.signal);
    returning.abort();
    expect(third.signal.aborted).toBe(true);
    third.unlink();
    expect(getEventListeners(other.signal, "abort")).toHaveLength(0);
    expect(link(new AbortController().signal).signal.aborted).toBe(false);
    other.abort();
    expect(link(new AbortController().signal).signal.aborted).toBe(true);
  });
});
