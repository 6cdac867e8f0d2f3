import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

/** It is written for a browser, whose types are not those of the tests. */
const MODULE: string = "../../../src/console/data/events.ts";
const { isLive, listen, onChanges } = (await import(MODULE)) as {
  readonly isLive: { readonly value: boolean };
  readonly listen: (changed: () => void) => () => void;
  readonly onChanges: (
    topic: "entities" | "alerts",
    listener: (changes: ReadonlyMap<string, unknown> | undefined) => void,
  ) => () => void;
};

/** An event source of a browser, and what a test makes it do. */
class Source extends EventTarget {
  static readonly CLOSED = 2;
  static readonly OPEN = 1;
  static all: Source[] = [];
  readyState = 0;
  readonly topics: readonly string[];

  constructor(address: string) {
    super();
    this.topics = new URL(address, "http://page/").searchParams.get("topics")?.split(",") ?? [];
    Source.all.push(this);
  }

  close(): void {
    this.readyState = Source.CLOSED;
  }

  open(): void {
    this.readyState = Source.OPEN;
    this.dispatchEvent(new Event("open"));
  }

  fail(readyState: number): void {
    this.readyState = readyState;
    this.dispatchEvent(new Event("error"));
  }

  say(topic: string, data: unknown = {}): void {
    this.dispatchEvent(new MessageEvent(topic, { data: JSON.stringify(data) }));
  }
}

const page = Object.assign(new EventTarget(), { hidden: false });
const changed = vi.fn();
let ends: Array<() => void>;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("EventSource", Source);
  vi.stubGlobal("document", page);
  Source.all = [];
  changed.mockClear();
  ends = [];
});

afterEach(() => {
  for (const end of ends) end();
  page.hidden = false;
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** The sources that are not closed. */
function open(): readonly Source[] {
  return Source.all.filter(({ readyState }) => readyState !== Source.CLOSED);
}

function listening(): Source {
  ends.push(listen(changed));
  const [source] = open();
  if (source === undefined) throw new Error("nothing listens");
  source.open();
  return source;
}

function setHidden(hidden: boolean): void {
  page.hidden = hidden;
  page.dispatchEvent(new Event("visibilitychange"));
}

describe("a page that listens for changes", () => {
  it("is live while the connection is open, and until it ends that", () => {
    const source = listening();
    expect(isLive.value).toBe(true);
    source.fail(0);
    expect(isLive.value).toBe(false);
    expect(changed).toHaveBeenCalledOnce();
    source.open();
    expect(isLive.value).toBe(true);
    ends.pop()?.();
    expect(isLive.value).toBe(false);
    expect(open()).toEqual([]);
    setHidden(false);
    onChanges("entities", () => undefined)();
    expect(vi.getTimerCount()).toBe(0);
    expect(open()).toEqual([]);
  });

  it("hears that something has changed, of whatever topic", () => {
    const source = listening();
    for (const topic of ["overview", "remediations", "polls"]) source.say(topic);
    source.say("alerts", { changes: [] });
    expect(changed).toHaveBeenCalledTimes(4);
    source.say("beat");
    expect(changed).toHaveBeenCalledTimes(4);
  });

  it("gives the changes of a list by their keys, and none if the list must be read again", () => {
    const source = listening();
    const entities = vi.fn();
    const alerts = vi.fn();
    ends.push(onChanges("entities", entities), onChanges("alerts", alerts));
    const change = { key: "k", state: "firing" };
    source.say("alerts", { changes: [change] });
    expect(alerts.mock.calls).toEqual([[new Map([["k", change]])]]);
    expect(entities).not.toHaveBeenCalled();
    source.say("reset");
    expect(alerts).toHaveBeenLastCalledWith(undefined);
    expect(entities).toHaveBeenLastCalledWith(undefined);
    expect(changed).toHaveBeenCalledTimes(2);
  });

  it("is sent the changes of entities only while a list of them is shown", () => {
    const source = listening();
    expect(source.topics).toEqual(["overview", "remediations", "polls", "alerts"]);
    const end = onChanges("entities", () => undefined);
    vi.advanceTimersByTime(0);
    expect(open().map(({ topics }) => topics.includes("entities"))).toEqual([true]);
    // Another query of the same list begins as the one before it ends.
    end();
    ends.push(onChanges("entities", () => undefined));
    vi.advanceTimersByTime(0);
    expect(Source.all).toHaveLength(2);
    ends.pop()?.();
    vi.advanceTimersByTime(0);
    expect(open().map(({ topics }) => topics.includes("entities"))).toEqual([false]);
  });

  it("has no connection while it is hidden", () => {
    listening();
    setHidden(true);
    expect(open()).toEqual([]);
    setHidden(false);
    expect(open()).toHaveLength(1);
  });

  it("connects again if nothing was heard for more than twenty seconds", () => {
    const source = listening();
    vi.advanceTimersByTime(15_000);
    source.say("beat");
    vi.advanceTimersByTime(20_000);
    expect(open()).toEqual([source]);
    vi.advanceTimersByTime(5_000);
    expect(open()).toHaveLength(1);
    expect(open()).not.toContain(source);
    expect(isLive.value).toBe(false);
  });

  it("has heard something once a connection is open, however long that took", () => {
    ends.push(listen(changed));
    vi.advanceTimersByTime(60_000);
    Source.all[0]?.open();
    vi.advanceTimersByTime(20_000);
    expect(Source.all).toHaveLength(1);
  });

  it("leaves a break to the browser, and tries again ten seconds after a refusal", () => {
    const source = listening();
    source.fail(0);
    vi.advanceTimersByTime(60_000);
    expect(Source.all).toHaveLength(1);
    source.fail(Source.CLOSED);
    vi.advanceTimersByTime(9_999);
    expect(Source.all).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(Source.all).toHaveLength(2);
  });

  it("tries no more after a refusal once it has ended", () => {
    listening().fail(Source.CLOSED);
    ends.pop()?.();
    vi.advanceTimersByTime(60_000);
    expect(Source.all).toHaveLength(1);
  });
});
