import { afterEach, expect, it, vi } from "vitest";
import type { ServerSource } from "../../../src/io/api/server-source.ts";
import { NOT_LOADED } from "../../../src/io/http/app-server.ts";
import { restoringApp, servedApp } from "../../../src/run/service/loaded-app.ts";

afterEach(() => void vi.useRealTimers());

const log = { error: () => undefined };

const ask = (path: string): Request => new Request(`http://127.0.0.1${path}`);

const restoring = {
  access: () => ({ hosts: [], trustedProxies: [] }),
  progress: () => "restoring the journal",
  unhealthy: () => undefined,
};

it("is loaded once, and answers all that is asked meanwhile", async () => {
  const read: unknown[] = [];
  const source = new Proxy(restoring, {
    get: (target, name) => {
      read.push(name);
      return Reflect.get(target, name) as unknown;
    },
  });
  const app = restoringApp(source, log);
  const answers = await Promise.all([app.fetch(ask("/healthz")), app.fetch(ask("/readyz"))]);
  expect(answers.map(({ status }) => status)).toEqual([200, 503]);
  expect((await app.fetch(ask("/healthz"))).status).toBe(200);
  expect(read.filter((name) => name === "access")).toHaveLength(1);
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
  const failing = new Proxy(restoring, {
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
