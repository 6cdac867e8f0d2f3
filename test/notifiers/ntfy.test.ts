import { describe, expect, it } from "vitest";
import type { Batch } from "../../src/domain/notification.ts";
import { ntfy } from "../../src/notifiers/ntfy.ts";
import { alert, batch, CONTEXT, PROPOSED, resolved } from "./batches.ts";

type Message = {
  readonly title: string;
  readonly message: string;
  readonly priority: number;
  readonly tags: readonly string[];
};

function sent(given: Batch): Message {
  const destination = { url: "https://ntfy.example", headers: {}, secrets: {}, options: {} };
  return ntfy.request(given, destination, CONTEXT).body;
}

describe("ntfy", () => {
  it("sounds the siren for what is critical, and not for a repair that worked", () => {
    expect(sent(batch(alert("BINANCE")))).toMatchObject({ priority: 5, tags: ["rotating_light"] });
    expect(sent(batch(PROPOSED))).toMatchObject({ priority: 4, tags: ["warning"] });
    const verified = { ...PROPOSED, word: "verified", severity: "info" } as const;
    expect(sent(batch(verified))).toMatchObject({ priority: 3, tags: ["information_source"] });
    expect(sent(batch(resolved("BINANCE")))).toMatchObject({ tags: ["white_check_mark"] });
  });

  it("says below the title what the title does not say", () => {
    const { title, message } = sent(batch(alert("BINANCE")));
    expect(title).toBe("[FIRING] ExchangeDisabled: exchange BINANCE on bsc");
    expect(message).toMatch(/^BINANCE on bsc has been disabled for 2m\.\ncritical, since /);
  });

  it("takes no more than the server does, in whatever script", () => {
    const description = "交易所".repeat(300);
    const { message } = sent(
      batch(...["A", "B", "C", "D"].map((id) => alert(id, { annotations: { description } }))),
    );
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4_096);
    expect(message).toMatch(/^\[FIRING\].* A on bsc: .* B on bsc.* C on bsc.* D on bsc$/s);
  });
});
