/** Tests src/io/api/past/stops.ts: who stopped actions, on a real journal. */
import { expect, it, onTestFinished } from "vitest";
import { stopsAt } from "../../../../src/io/api/past/stops.ts";
import { openJournal } from "../../../../src/io/journal/journal.ts";
import { rule } from "../../../core/fixtures.ts";
import { scriptedWorld } from "../../../core/world.ts";
import { temporaryDirectory } from "../../temporary-directory.ts";

it("says of the past who threw each kill switch, as the present did", async () => {
  const directory = temporaryDirectory();
  const journal = openJournal(directory.path);
  if (!journal.ok) throw new Error(journal.problem);
  onTestFinished(() => {
    journal.value.close();
    directory.remove();
  });
  const world = scriptedWorld({ rules: [rule()] });
  world.onStep = (_event, { findings }) => {
    const stored = findings.map((finding) => ({ at: world.now, finding }));
    journal.value.commit({ at: world.now, changes: [], findings: stored });
  };
  world.commands({ name: "kill", source: "operator" }).passes("1s");
  world.tell({ type: "journal", writable: false, detail: "disk full", unsent: [] }).passes("1s");
  const now = [...world.state.tables.kill.values()].map(({ source, by, since }) => [
    source,
    by,
    since,
  ]);
  const then = await stopsAt(journal.value, world.now);
  expect(now.map(([, by]) => by)).toEqual(["alice", "aggwatch"]);
  expect(then.killed.map(({ source, by, since }) => [source, by, since])).toEqual(now);
});
