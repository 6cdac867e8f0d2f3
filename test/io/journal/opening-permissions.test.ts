/** Tests src/io/journal/file.ts: whom and what the system refuses. */
import { chmodSync, chownSync, cpSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openJournal } from "../../../src/io/journal/journal.ts";
import { NOBODY } from "../postgres/cluster.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { runScript, sourceUrl } from "./child-script.ts";

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => (directory = temporaryDirectory()));
afterEach(() => directory.remove());

const SAME_USER = "Run aggwatch and its commands always as the same user.";
const MAKE_WRITABLE = "Make it writable for the user that aggwatch runs as.";

it.each([
  ["journal.sqlite", 0o444, "written", MAKE_WRITABLE],
  ["journal.sqlite-wal", 0o444, "written", MAKE_WRITABLE],
  ["journal.sqlite", 0o200, "read", SAME_USER],
  ["journal.sqlite-wal", 0o200, "read", SAME_USER],
] as const)(
  "a %s of the permissions %o is named at the start, and not the disk or the directory",
  async (name, mode, done, advice) => {
    const data = leaveKilled();
    chmodSync(join(data, name), mode);
    const said = await problemsOf(data);
    expect(said["opening"]).toContain(`${join(data, name)} cannot be ${done} (EACCES`);
    expect(said["opening"]?.slice(-advice.length - 3)).toBe(`). ${advice}`);
    // To look at it, it need not be written.
    expect(said["check"]).toBe(done === "read" ? said["opening"] : undefined);
  },
);

it("a data directory that may not be written is named, if not for what is in it", async () => {
  const data = leaveKilled();
  rmSync(join(data, "journal.sqlite-wal"));
  chmodSync(data, 0o555);
  expect((await problemsOf(data))["opening"]).toMatch(
    /^the data directory \S+ cannot be written \(.*\)\. Make it writable for the user that aggwatch runs as, or/,
  );
  for (const name of readdirSync(data)) chmodSync(join(data, name), 0o444);
  expect((await problemsOf(data))["opening"]).toContain("journal.sqlite cannot be written (EACCES");
  chmodSync(data, 0o755);
});

/** What a killed process leaves: its commit is in the log alone. */
function leaveKilled(): string {
  const live = join(directory.path, "live");
  const data = join(directory.path, "data");
  const opened = openJournal(live);
  if (!opened.ok) throw new Error(opened.problem);
  opened.value.commit({
    at: 7,
    changes: [{ table: "counter", key: "at", value: 7 }],
    findings: [],
  });
  cpSync(live, data, { recursive: true });
  opened.value.close();
  return data;
}

/** What a user reads who is not root, for root may do all. */
async function problemsOf(data: string): Promise<Record<string, string | undefined>> {
  const isRoot = process.getuid?.() === 0;
  const paths = [directory.path, data, ...readdirSync(data).map((one) => join(data, one))];
  if (isRoot) for (const path of paths) chownSync(path, NOBODY, NOBODY);
  const script = `
    import { openJournal } from ${JSON.stringify(sourceUrl("io/journal/journal.ts"))};
    import { checkJournal } from ${JSON.stringify(sourceUrl("io/journal/tools.ts"))};
    import { toEnd } from ${JSON.stringify(sourceUrl("domain/slices.ts"))};
    if (${isRoot}) process.setuid(${NOBODY});
    const check = toEnd(checkJournal(process.argv[1])).problem;
    console.log(JSON.stringify({ opening: openJournal(process.argv[1]).problem, check }));
  `;
  const child = runScript(script, [data]);
  const said: unknown = JSON.parse((await child.nextLine()) ?? child.errors());
  expect(await child.ended).toBe(0);
  return said as Record<string, string | undefined>;
}
