import { afterEach, expect, it, vi } from "vitest";
import type { ServerSource } from "../../../src/io/api/server-source.ts";
import { NOT_LOADED } from "../../../src/io/http/app-server.ts";
import { restoringApp, servedApp } from "../../../src/run/service/loaded-app.ts";

afterEach(() => void vi.useRealTimers());

const log = { error: () => undefined };

const ask = (path: string): Request => new Request(`http://127.0.0.1${path}`);

it("answers all that is asked while it is being loaded", async () => {
  const app = restoringApp(
    {
      access: () => ({ hosts: [], trustedProxies: [] }),
      progress: () => "restoring the journal",
      unhealthy: () => undefined,
    },
    log,
  );
  const answers = await Promise.all([app.fetch(ask("/healthz")), app.fetch(ask("/readyz"))]);
  expect(answers.map(({ status }) => status)).toEqual([200, 503]);
});

it("is loaded a second after the start though nothing is asked, and not once that has ended", async () => {
  vi.useFakeTimers();
  const asked = vi.fn();
  const source = new Proxy({} as ServerSource, { get: (_, name) => asked(name) as undefined });
  servedApp(source, log).loadSoon()();
  await vi.advanceTimersByTimeAsync(5_000);
  await import("../../../src/io/api/server.ts");
  expect(asked).not.toHaveBeenCalled();
  servedApp(source, log).loadSoon();
  await vi.advanceTimersByTimeAsync(999);
  expect(asked).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await vi.waitFor(() => expect(asked).toHaveBeenCalled());
});

it("is answered 503 if it cannot be loaded, logs why, and is loaded by the next question", async () => {
  const defect = new Error("no such module");
  let isDefect = true;
  const source = {
    access: () => ({ hosts: [], trustedProxies: [] }),
    progress: () => "restoring the journal",
    unhealthy: () => undefined,
  };
  const failing = new Proxy(source, {
    get: (target, name) => {
      if (isDefect) throw defect;
      return Reflect.get(target, name) as unknown;
    },
  });
  const logged: unknown[] = [];
  const app = restoringApp(failing, { error: (...line: unknown[]) => void logged.push(line) });
  const answer = async (): Promise<readonly [number, string]> => {
    const answered = await app.fetch(ask("/healthz"));
    return [answered.status, await answered.text()];
  };
  expect(await answer()).toEqual([503, `${NOT_LOADED}\n`]);
  expect(logged).toEqual([[{ err: defect }, NOT_LOADED]]);
  isDefect = false;
  expect(await answer()).toEqual([200, "ok\nrestoring the journal\n"]);
});
