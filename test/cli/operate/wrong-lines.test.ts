/** Tests src/cli/operate: that a wrong value is a mistake of the line, found before anything is sent. */
import { expect, it } from "vitest";
import { commandLine } from "../command-line.ts";

/** Nothing listens here, and there is no token: what was to be sent would fail otherwise. */
const NOWHERE = { AGGWATCH_URL: "http://127.0.0.1:1" };
const WHOLE = "It is a whole number from 1 to 1000.";

it.each([
  ["hold exchange/A", "give --for or --until"],
  ["silence --everything", "give --for or --until"],
  ["hold exchange/A --for 1h --until 2030-01-31T12:00:00Z", "--for and --until exclude each other"],
  ["hold exchange/A --for soon", "--for: must be a duration such as 30m or 2h, at most 30d"],
  ["hold exchange/A --for 40d", "--for: must be a duration such as 30m or 2h, at most 30d"],
  ["silence exchange/A --until noon", "--until: must be an instant such as 2026-01-31T12:00:00Z"],
])("says of `%s` which option is wrong", async (line, complained) => {
  const done = await commandLine([...line.split(" "), "--reason", "x"], NOWHERE);
  expect(done).toEqual({ exitCode: 2, printed: "", complained });
});

it("says every mistake of a line at once", async () => {
  const done = await commandLine(["hold", "--for", "soon", "--reason", "a\nb"], NOWHERE);
  expect(done.exitCode).toBe(2);
  expect(done.complained.split("\n")).toEqual([
    "say what it covers: an entity, --rule, --aggregator, or --everything",
    "--for: must be a duration such as 30m or 2h, at most 30d",
    "--reason: must be one line without control characters",
  ]);
});

it("says of an approval without a terminal that its reason is missing, and the question, too", async () => {
  const done = await commandLine(["approve", "p1"], NOWHERE);
  expect(done.exitCode).toBe(2);
  expect(done.complained.split("\n")).toEqual([
    "missing: --reason (aggwatch approve --help)",
    "standard input is not a terminal, so no question can be asked: --digest names what you have read, --yes approves what it shows now",
  ]);
});

it.each(["kill", "release h1", "unquarantine exchange/A"])(
  "says of `%s` that its reason is too long",
  async (line) => {
    const done = await commandLine([...line.split(" "), "--reason", "x".repeat(501)], NOWHERE);
    expect(done).toEqual({
      exitCode: 2,
      printed: "",
      complained: "--reason: must not be longer than 500 characters",
    });
  },
);

it.each([
  ["alerts --limit x", WHOLE],
  ["remediations --limit 0", WHOLE],
  ["timeline --limit 1.5", WHOLE],
  ["entities --limit 1001", WHOLE],
  ["watch list --limit x", "It is a whole number from 0 to 100000."],
  ["timeline --type gossip", "It must be some of polled, alert, "],
])("says what the number or the words of `%s` must be", async (line, said) => {
  const done = await commandLine(line.split(" "), NOWHERE);
  expect(done).toMatchObject({ exitCode: 2, printed: "" });
  expect(done.complained).toContain(said);
});
