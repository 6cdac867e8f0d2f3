import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { reportProblem } from "../../../src/cli/print/report-file.ts";
import { temporaryDirectory } from "../../io/temporary-directory.ts";

it("a report's file is not opened for a trial if somebody reads it, as they do a pipe", async () => {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  const read = join(path, "read");
  const server = createServer().listen(read);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  // Opened, it would be a problem.
  expect(reportProblem(read)).toBeUndefined();
});
