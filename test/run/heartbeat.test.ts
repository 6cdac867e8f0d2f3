import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { WorkFault } from "../../src/core/explain/heartbeat.ts";
import { SECOND } from "../../src/domain/time.ts";
import { createSender } from "../../src/io/http/http-send.ts";
import { createHeartbeat, type Heartbeat } from "../../src/run/heartbeat.ts";
import type { HeartbeatSetup } from "../../src/run/setup.ts";

const SECRET = "5f2c0d1e-secret";
const OVERDUE: WorkFault = { reason: "poll_overdue", detail: "bsc/pools has read nothing" };
const SILENT: WorkFault = { reason: "schedule_silent", detail: "the schedule is silent" };
const STARTING: WorkFault = { reason: "starting", detail: "the first poll is not done" };

/** A heartbeat over real HTTP, on virtual time. */
class Patient {
  now = 1_000_000;
  faults: readonly WorkFault[] = [];
  setup: HeartbeatSetup | undefined;
  readonly log: string[] = [];
  readonly counted: string[] = [];
  readonly pinged: string[] = [];
  begun = 0;
  /** What comes of the pings. */
  readonly sent: Array<Promise<unknown>> = [];
  /** Clients that were made and are not closed. */
  connected = 0;
  status = 200;
  body = "";
  readonly heartbeat: Heartbeat;
  private readonly server: Server;
  private counting: Array<() => void> = [];

  constructor() {
    this.server = createServer((request, response) => {
      this.pinged.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
      response.writeHead(this.status).end(this.body);
    });
    const write =
      (level: string) =>
      (...args: unknown[]): void =>
        void this.log.push(`${level} ${args.map((arg) => JSON.stringify(arg)).join(" ")}`);
    this.heartbeat = createHeartbeat({
      clock: { now: () => this.now },
      log: { info: write("info"), warn: write("warn") } as never,
      setup: () => this.setup,
      faults: () => this.faults,
      count: (outcome) => {
        this.counted.push(outcome);
        for (const resolve of this.counting.splice(0)) resolve();
      },
      createSender: (options) => {
        const sender = createSender(options);
        const send: typeof sender.send = async (...args) => {
          this.begun += 1;
          const sent = sender.send(...args);
          this.sent.push(sent);
          return await sent;
        };
        this.connected += 1;
        const close = (): void => {
          this.connected -= 1;
          sender.close();
        };
        return { send, close };
      },
    });
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    const { port } = this.server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/ping/${SECRET}`;
    this.setup = { url, everyMs: 60 * SECOND, timeoutMs: 5 * SECOND, needsNotifier: false };
  }

  async close(): Promise<void> {
    this.heartbeat.close();
    this.server.closeAllConnections();
    if (this.server.listening) await new Promise((resolve) => this.server.close(resolve));
  }

  /** Looks every second for so long. */
  looks(seconds: number): this {
    for (let passed = 0; passed < seconds; passed += 1) {
      this.now += SECOND;
      this.heartbeat.check();
    }
    return this;
  }

  /** Looks once, and waits for what comes of the ping that it begins. */
  async beats(): Promise<void> {
    const counted = new Promise<void>((resolve) => this.counting.push(resolve));
    this.looks(1);
    await counted;
  }
}

let patient: Patient;
beforeEach(async () => {
  patient = new Patient();
  await patient.open();
});
afterEach(async () => {
  await patient.close();
});

describe("the heartbeat", () => {
  it("is pinged at once, and then every so often, while all is well", async () => {
    await patient.beats();
    expect(patient.heartbeat.reading()).toEqual({ reasons: [], lastSuccessAt: patient.now });
    patient.looks(59);
    expect(patient.pinged).toHaveLength(1);
    await patient.beats();
    expect(patient.pinged).toHaveLength(2);
    expect(patient.pinged[0]).toMatch(new RegExp(`^GET /ping/${SECRET} `));
    expect(patient.pinged[0]).not.toMatch(/authorization|x-api-key/i);
    expect(patient.counted).toEqual(["sent", "sent"]);
  });

  it("is withheld for as long as there is trouble, and says so once for each change of the reasons", () => {
    patient.faults = [OVERDUE];
    patient.looks(150);
    patient.faults = [OVERDUE, SILENT];
    patient.looks(60);
    expect(patient.pinged).toEqual([]);
    expect(patient.counted.every((outcome) => outcome === "withheld")).toBe(true);
    expect(patient.counted).toHaveLength(4);
    expect(patient.log).toHaveLength(2);
    expect(patient.log[0]).toContain('["poll_overdue"]');
    expect(patient.log[0]).toContain("bsc/pools has read nothing");
    expect(patient.heartbeat.reading()).toEqual({
      reasons: ["poll_overdue", "schedule_silent"],
      lastSuccessAt: 0,
    });
  });

  it("goes on at once when the trouble is over", async () => {
    patient.faults = [OVERDUE];
    patient.looks(3);
    patient.faults = [];
    await patient.beats();
    expect(patient.counted).toEqual(["withheld", "sent"]);
    expect(patient.log.at(-1)).toContain("heartbeat resumed");
  });

  it("waits for the first polls without a word", async () => {
    patient.faults = [STARTING];
    patient.looks(20);
    expect([patient.log, patient.counted, patient.pinged]).toEqual([[], [], []]);
    patient.faults = [];
    await patient.beats();
    expect(patient.counted).toEqual(["sent"]);
  });

  it("that is not answered is tried again, spoken of once, and never with its URL", async () => {
    patient.status = 404;
    await patient.beats();
    patient.looks(14);
    expect(patient.begun).toBe(1);
    await patient.beats();
    expect(patient.counted).toEqual(["failed", "failed"]);
    expect(patient.log).toHaveLength(1);
    expect(patient.heartbeat.notices()).toEqual([
      "the heartbeat is not answered: answered with status 404",
    ]);
    patient.status = 200;
    patient.looks(14);
    await patient.beats();
    expect(patient.heartbeat.notices()).toEqual([]);
    expect(patient.log.at(-1)).toContain("heartbeat answered again");
    expect([...patient.log, ...patient.heartbeat.notices()].join()).not.toContain(SECRET);
  });

  it("that is not answered is not tried again later than it is due", async () => {
    patient.setup = patient.setup && { ...patient.setup, everyMs: 5 * SECOND };
    patient.status = 404;
    await patient.beats();
    patient.looks(4);
    expect(patient.counted).toEqual(["failed"]);
    await patient.beats();
    expect(patient.counted).toEqual(["failed", "failed"]);
  });

  it("is answered by the status, and a long body is no failure", async () => {
    patient.body = "x".repeat(100_000);
    await patient.beats();
    patient.status = 404;
    patient.looks(59);
    await patient.beats();
    expect(patient.counted).toEqual(["sent", "failed"]);
    expect(patient.heartbeat.notices()).toEqual([
      "the heartbeat is not answered: answered with status 404",
    ]);
  });

  it.for(["OK (not found)", "OK (rate limited)\n"])(
    "is not answered if the switch says that it ignores the ping: %s",
    async (said) => {
      patient.body = said;
      await patient.beats();
      expect(patient.counted).toEqual(["failed"]);
      expect(patient.heartbeat.notices()).toEqual([
        `the heartbeat is not answered: answered: ${said.trim()}`,
      ]);
      patient.body = "OK";
      patient.looks(14);
      await patient.beats();
      expect(patient.heartbeat.notices()).toEqual([]);
    },
  );

  it("is pinged by one request at a time, though trouble passes while that is under way", async () => {
    patient.looks(1);
    patient.faults = [OVERDUE];
    patient.looks(1);
    patient.faults = [];
    await patient.beats();
    expect(patient.begun).toBe(1);
    // What was due meanwhile is made up for.
    await patient.beats();
    expect(patient.begun).toBe(2);
  });

  it("says nothing of a ping that other settings have ended", async () => {
    patient.looks(1);
    patient.setup = patient.setup && { ...patient.setup, timeoutMs: 4 * SECOND };
    await patient.beats();
    expect(patient.counted).toEqual(["sent"]);
    expect(patient.log).toEqual([]);
  });

  it("says nothing of a ping that its end has cut off", async () => {
    patient.looks(1);
    patient.heartbeat.close();
    await Promise.all(patient.sent);
    await setImmediate();
    expect(patient.sent).toHaveLength(1);
    expect([patient.counted, patient.log]).toEqual([[], []]);
  });

  it("knows when it was answered last, also once it has other settings", async () => {
    await patient.beats();
    const lastSuccessAt = patient.now;
    patient.status = 404;
    patient.setup = patient.setup && { ...patient.setup, timeoutMs: 4 * SECOND };
    await patient.beats();
    expect(patient.counted).toEqual(["sent", "failed"]);
    expect(patient.heartbeat.reading()).toEqual({ reasons: [], lastSuccessAt });
  });

  it("names a reason once, however many faults there are of it", () => {
    patient.faults = [OVERDUE, SILENT, { ...OVERDUE, detail: "bsc/pairs has read nothing" }];
    const reasons = ["poll_overdue", "schedule_silent"];
    expect(patient.heartbeat.reading()).toMatchObject({ reasons });
    patient.looks(1);
    expect(patient.log).toEqual([expect.stringContaining(`"reasons":${JSON.stringify(reasons)}`)]);
  });

  it("is withheld for what counts, though the first polls are also still to come", () => {
    patient.faults = [STARTING, OVERDUE];
    patient.looks(1);
    expect(patient.counted).toEqual(["withheld"]);
  });

  it("does not follow a redirect", async () => {
    patient.status = 302;
    await patient.beats();
    expect(patient.counted).toEqual(["failed"]);
  });

  it("follows the settings while it runs, and is silent if there are none", async () => {
    await patient.beats();
    const { setup } = patient;
    patient.setup = undefined;
    patient.looks(200);
    expect(patient.pinged).toHaveLength(1);
    expect(patient.heartbeat.reading()).toEqual({ reasons: [], lastSuccessAt: undefined });
    patient.setup = setup && { ...setup, everyMs: 10 * SECOND };
    await patient.beats();
    patient.looks(9);
    await patient.beats();
    expect(patient.pinged).toHaveLength(3);
  });

  it("keeps no connection open of other settings, nor after it is closed", () => {
    patient.looks(2);
    expect(patient.connected).toBe(1);
    patient.setup = patient.setup && { ...patient.setup, timeoutMs: 4 * SECOND };
    patient.looks(1);
    expect(patient.connected).toBe(1);
    patient.heartbeat.close();
    expect(patient.connected).toBe(0);
  });
});
