import { describe, expect, it } from "vitest";
import {
  isNamed,
  lastingPolls,
  subjectOf,
  textOf,
  timelineOf,
  worstFirst,
} from "../../../src/console/text/timeline.ts";

const at = (second: number): number => Date.UTC(2026, 0, 31, 12, 0, second);

const finding = (
  second: number,
  type: string,
  what: string,
  detail = "",
  subject = "R|bsc/pair/A",
) => ({
  at: new Date(at(second)).toISOString(),
  type,
  subject,
  what,
  detail,
  by: null,
  reason: null,
});

/** The newest first, as the API gives them. */
const FINDINGS = [
  finding(1, "alert", "pending"),
  finding(5, "alert", "firing"),
  finding(6, "remediation", "r1 enable_pair requested"),
  finding(7, "polled", "failed", "status 503", "bsc/exchanges"),
  finding(8, "polled", "complete", "", "bsc/exchanges"),
  finding(9, "alert", "resolved"),
  finding(12, "alert", "pending"),
  finding(13, "alert", "resolved", "", "S|bsc/pair/B"),
].toReversed();

describe("the timeline", () => {
  it("shows each life of an alert, with what was done on it", () => {
    const { tracks, marks, from, until } = timelineOf(FINDINGS, at(20));
    expect([from, until]).toEqual([at(1), at(20)]);
    expect(tracks[1]).toEqual({
      name: "R|bsc/pair/A",
      severity: undefined,
      lives: [
        { state: "pending", from: at(1), until: at(5) },
        { state: "firing", from: at(5), until: at(9) },
        { state: "pending", from: at(12), until: undefined },
      ],
      marks: [
        {
          at: at(6),
          type: "remediation",
          text: expect.stringContaining("r1 enable_pair requested") as string,
        },
      ],
    });
    expect(marks).toEqual([]);
  });

  it("shows when a poller did not read all, and until when, above the alerts", () => {
    const { tracks } = timelineOf(FINDINGS, at(20));
    expect(tracks[0]).toMatchObject({
      name: "poller bsc/exchanges",
      lives: [{ state: "failed", from: at(7), until: at(8) }],
      marks: [{ at: at(7), text: "polled bsc/exchanges failed – status 503" }],
    });
    const polls = [
      finding(1, "polled", "complete", "", "bsc/pools"),
      finding(3, "polled", "partial", "", "bsc/pools"),
      finding(4, "polled", "failed", "", "bsc/pools"),
      finding(6, "restart", "started", "", "aggwatch"),
    ];
    const [pools] = timelineOf(polls.toReversed(), at(20)).tracks;
    expect(pools?.lives).toEqual([
      { state: "partial", from: undefined, until: at(1) },
      { state: "partial", from: at(3), until: at(4) },
      { state: "failed", from: at(4), until: at(6) },
    ]);
  });

  it("shows an alert as one life while it is not sure, as it goes on", () => {
    const livesOf = (...found: ReadonlyArray<readonly [number, string]>) => {
      const rows = found.map(([second, what]) => finding(second, "alert", what));
      return timelineOf(rows.toReversed(), at(20)).tracks[0]?.lives;
    };
    expect(
      livesOf([1, "pending"], [5, "firing"], [6, "unknown"], [8, "known"], [9, "resolved"]),
    ).toEqual([
      { state: "pending", from: at(1), until: at(5) },
      { state: "firing", from: at(5), until: at(9) },
    ]);
    expect(livesOf([6, "unknown"], [8, "known"], [9, "resolved"])).toEqual([
      { state: "firing", from: undefined, until: at(9) },
    ]);
  });

  it("shows an alert as pending before the first finding of it only if it was", () => {
    const livesOf = (what: string, started?: number) => {
      const started_at = started === undefined ? null : new Date(at(started)).toISOString();
      const found = { ...finding(9, "alert", what), started_at };
      return timelineOf([found], at(20)).tracks[0]?.lives;
    };
    const firing = { state: "firing", from: at(9), until: undefined };
    const pending = { state: "pending", from: at(-90), until: at(9) };
    // Its rule has no `for`.
    expect(livesOf("firing", 9)).toEqual([firing]);
    expect(livesOf("firing", -90)).toEqual([pending, firing]);
    expect(livesOf("firing")).toEqual([firing]);
    // It never fired.
    expect(livesOf("dropped", -90)).toEqual([pending]);
  });

  it("knows that an alert was there before the first finding of it", () => {
    const { tracks } = timelineOf(FINDINGS, at(20));
    expect(tracks[2]?.lives).toEqual([{ state: "firing", from: undefined, until: at(13) }]);
  });

  it("knows of an alert that lasts since when it does, though all that was found of it is older", () => {
    const alert = (id: string, state: "pending" | "firing", fired?: number) => ({
      alertname: "R",
      entity: { aggregator: "bsc", kind: "pair", id },
      alias: id === "Y" ? "the big one" : null,
      severity: "critical",
      state,
      active_at: new Date(at(-90)).toISOString(),
      fired_at: fired === undefined ? null : new Date(at(fired)).toISOString(),
    });
    const active = [alert("A", "pending"), alert("Y", "firing", -30), alert("Z", "pending")];
    const { tracks } = timelineOf(FINDINGS.slice(0, -1), at(20), active);
    const livesOf = (id: string) => tracks.find(({ name }) => name === `R|bsc/pair/${id}`);
    expect(livesOf("Y")).toEqual({
      name: "R|bsc/pair/Y",
      alias: "the big one",
      severity: "critical",
      lives: [
        { state: "pending", from: at(-90), until: at(-30) },
        { state: "firing", from: at(-30), until: undefined },
      ],
      marks: [],
    });
    expect(livesOf("Z")?.lives).toEqual([{ state: "pending", from: at(-90), until: undefined }]);
    // What was found of it says more.
    expect(livesOf("A")?.lives.at(-1)).toEqual({
      state: "pending",
      from: at(12),
      until: undefined,
    });
  });

  it("knows of a poller that had failed before all that was found, for as long as nothing says otherwise", () => {
    const polled = (second: number, what: string, subject: string) =>
      finding(second, "polled", what, "status 503", subject);
    const restart = (second: number, what: string) =>
      finding(second, "restart", what, "", "aggwatch");
    const before = [
      polled(-80, "failed", "bsc/swaps"),
      restart(-70, "started"),
      polled(-60, "failed", "bsc/exchanges"),
      polled(-50, "partial", "bsc/pools"),
      polled(-40, "failed", "bsc/pools"),
      // The process is the same, and says nothing again.
      restart(-35, "went on"),
      polled(-30, "failed", "bsc/orders"),
      polled(-20, "complete", "bsc/orders"),
      polled(5, "complete", "bsc/exchanges"),
    ].toReversed();
    const lasting = lastingPolls(before, at(0));
    expect(lasting.map(({ subject, what }) => `${subject} ${what}`)).toEqual([
      "bsc/pools failed",
      "bsc/exchanges failed",
    ]);
    const { from, tracks } = timelineOf(FINDINGS, at(20), [], lasting);
    expect(from).toBe(at(1));
    const livesOf = (name: string) => tracks.find((track) => track.name === name)?.lives;
    expect(livesOf("poller bsc/pools")).toEqual([
      { state: "failed", from: at(-40), until: undefined },
    ]);
    expect(livesOf("poller bsc/exchanges")).toEqual([
      { state: "failed", from: at(-60), until: at(7) },
      { state: "failed", from: at(7), until: at(8) },
    ]);
  });

  it("goes on with a poller that fails when the record went on, as the process is the same", () => {
    const rows = [
      finding(1, "polled", "failed", "", "bsc/pools"),
      finding(3, "restart", "went on", "", "aggwatch"),
    ];
    expect(timelineOf(rows.toReversed(), at(20)).tracks[0]?.lives).toEqual([
      { state: "failed", from: at(1), until: undefined },
    ]);
  });

  it("is empty without findings", () => {
    expect(timelineOf([], at(20))).toEqual({ from: at(20), until: at(20), tracks: [], marks: [] });
  });
});

it("marks what is done to all, such as a restart, and leaves out what belongs to no alert", () => {
  const { tracks, marks } = timelineOf(
    [finding(2, "restart", "started", "", ""), finding(1, "notified", "delivered", "", "ops")],
    at(20),
  );
  expect(marks).toEqual([{ at: at(2), type: "restart", text: "restart started" }]);
  expect(tracks).toEqual([]);
});

it("keeps the severity of an alert, whatever is found of it later", () => {
  const fired = { ...finding(1, "alert", "firing"), severity: "warning" as const };
  const [track] = timelineOf([finding(2, "suppressed", "budget"), fired], at(20)).tracks;
  expect(track?.severity).toBe("warning");
});

it("says who did what, and why", () => {
  const held = { ...finding(1, "hold", "made", "for 1h", "all"), by: "alice", reason: "a move" };
  expect(textOf(held)).toBe("hold all made by alice (a move) – for 1h");
});

it("names an alert by what people call its entity, if that is said anywhere", () => {
  const [newest, ...older] = FINDINGS;
  const named = [...older.map((one) => ({ ...one, alias: null })), { ...newest, alias: "desk-a" }];
  const aliases = timelineOf(named as typeof FINDINGS, at(20)).tracks.map(({ alias }) => alias);
  expect(aliases).toContain("desk-a");
  expect(subjectOf(finding(1, "alert", "firing"))).toBe("R|bsc/pair/A");
  expect(subjectOf({ ...finding(1, "alert", "firing"), alias: "desk-a" })).toBe(
    "R|bsc/pair/A (desk-a)",
  );
});

it("knows what is named by all words of its subject or alias, and by no other text", () => {
  const named = { subject: "bsc/pools", alias: "the Big one" };
  expect(["POOLS", "big pools", " one "].filter((text) => isNamed(text, named))).toHaveLength(3);
  expect(["pools 503", "failed"].filter((text) => isNamed(text, named))).toEqual([]);
});

it("shows first what is worst at an instant, by state and severity, and what is of one rule together", () => {
  const track = (
    name: string,
    state: "firing" | "pending" | "failed" | "partial",
    until?: number,
    severity: string | undefined = "warning",
  ) => ({
    name,
    severity,
    alias: undefined,
    lives: [{ state, from: at(1), until }],
    marks: [],
  });
  const tracks = [
    track("S|bsc/pair/A", "pending"),
    track("S|bsc/pair/B", "firing"),
    track("R|bsc/pair/A", "firing", at(5)),
    track("T|bsc/pair/C", "firing"),
    track("S|bsc/pair/C", "firing"),
    track("Z|bsc/pair/C", "firing", undefined, "critical"),
    { ...track("poller bsc/pools", "failed"), severity: undefined },
    { ...track("poller bsc/swaps", "partial"), severity: undefined },
    track("A|bsc/pair/C", "firing", undefined, "info"),
    // It has only marks, and the other one begins later.
    { ...track("M|bsc/pair/C", "firing"), lives: [] },
    {
      ...track("N|bsc/pair/C", "firing"),
      lives: [{ state: "firing" as const, from: at(10), until: undefined }],
    },
    // Its rule is gone, and its severity with that.
    { ...track("B|bsc/pair/C", "firing"), severity: undefined },
    track("C|bsc/pair/C", "firing", undefined, "page"),
    { ...track("poller bsc/swaps", "failed", at(5)), severity: undefined },
  ];
  expect(worstFirst(tracks, at(9)).map(({ name }) => name)).toEqual([
    "poller bsc/pools",
    "poller bsc/swaps",
    "C|bsc/pair/C",
    "Z|bsc/pair/C",
    "S|bsc/pair/B",
    "S|bsc/pair/C",
    "T|bsc/pair/C",
    "A|bsc/pair/C",
    "B|bsc/pair/C",
    "S|bsc/pair/A",
    "poller bsc/swaps",
    "M|bsc/pair/C",
    "N|bsc/pair/C",
    "R|bsc/pair/A",
  ]);
});
