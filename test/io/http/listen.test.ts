import { EventEmitter } from "node:events";
import type { Server } from "node:http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { closeServer, hostInUrl, listen, LISTEN_WITHIN } from "../../../src/io/http/listen.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ADDRESS = { address: "127.0.0.1", family: "IPv4", port: 7 };

/** A server whose name resolves when a test says so. */
function slowServer() {
  const server = Object.assign(new EventEmitter(), {
    begins: () => {},
    listen: (_port: number, _host: string, begins: () => void) => void (server.begins = begins),
    address: () => ADDRESS,
    close: vi.fn<(closed?: () => void) => void>(),
    closeAllConnections: vi.fn<() => void>(),
  });
  return { ...server, server: server as unknown as Server, begins: () => server.begins() };
}

const OPTIONS = { host: "host.example", port: 7 };

describe("listening", () => {
  it("resolves with the address once it does, and leaves nothing behind", async () => {
    const { server, begins, close } = slowServer();
    const { signal, abort } = controller();
    const listening = listen(server, { ...OPTIONS, signal });
    begins();
    abort();
    expect(await listening).toEqual(ADDRESS);
    expect(vi.getTimerCount()).toBe(0);
    expect(close).not.toHaveBeenCalled();
  });

  it("never begins if the name of the host resolves too late", async () => {
    const { server, begins, close } = slowServer();
    const problem = listen(server, OPTIONS).catch(String);
    await vi.advanceTimersByTimeAsync(LISTEN_WITHIN);
    expect(await problem).toBe("Error: host.example does not resolve within 2s");
    begins();
    expect(close).toHaveBeenCalledOnce();
  });

  it("never begins if it is given up, before or meanwhile", async () => {
    const { server, begins, close } = slowServer();
    const { signal, abort } = controller();
    const problem = listen(server, { ...OPTIONS, signal }).catch(String);
    abort();
    expect(await problem).toBe("SIGTERM");
    expect(vi.getTimerCount()).toBe(0);
    begins();
    expect(close).toHaveBeenCalledOnce();
    const other = slowServer();
    const listens = vi.spyOn(other.server, "listen");
    await expect(async () => await listen(other.server, { ...OPTIONS, signal })).rejects.toBe(
      "SIGTERM",
    );
    expect(listens).not.toHaveBeenCalled();
  });

  it("fails with the error of the server, and survives a later one", async () => {
    const { server } = slowServer();
    const problem = listen(server, OPTIONS).catch(String);
    server.emit("error", new Error("EADDRINUSE"));
    server.emit("error", new Error("EMFILE"));
    expect(await problem).toBe("Error: EADDRINUSE");
  });
});

function controller() {
  const stop = new AbortController();
  return { signal: stop.signal, abort: () => stop.abort("SIGTERM") };
}

it("a server is closed once it says so, after its connections are cut", async () => {
  const { server, close, closeAllConnections } = slowServer();
  let isClosed = false;
  const closing = closeServer(server).then(() => (isClosed = true));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(closeAllConnections).toHaveBeenCalledOnce();
  expect(isClosed).toBe(false);
  close.mock.calls[0]?.[0]?.();
  await closing;
});

it("an address of IPv6 is in brackets in a URL, and no other host is", () => {
  expect(["::1", "127.0.0.1", "host.example"].map(hostInUrl)).toEqual([
    "[::1]",
    "127.0.0.1",
    "host.example",
  ]);
});
