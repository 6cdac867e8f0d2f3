import { describe, expect, it } from "vitest";
import type { Notification } from "../../src/domain/notification.ts";
import type { Destination, EmailRequest } from "../../src/notifiers/notifier.ts";
import { email } from "../../src/notifiers/email.ts";
import { alert, AT, batch, CONTEXT, PROPOSED, resolved } from "./batches.ts";

function sent(given = batch(alert("BINANCE")), options: Destination["options"] = {}): EmailRequest {
  const destination: Destination = {
    url: "smtp://smtp.example",
    headers: {},
    secrets: {},
    options: { from: "aggwatch@watch.example", to: "a@b.example,c@d.example", ...options },
    login: { username: "u", password: "p" },
  };
  return email.request(given, destination, CONTEXT);
}

describe("the envelope of an email", () => {
  it("has who sends it and who gets it, and the login", () => {
    expect(sent()).toMatchObject({
      url: "smtp://smtp.example",
      envelope: {
        from: "aggwatch@watch.example",
        to: ["a@b.example", "c@d.example"],
        login: { username: "u", password: "p" },
      },
    });
  });

  it("requires TLS, unless that is said to be optional", () => {
    expect(sent().envelope.isTlsRequired).toBe(true);
    expect(sent(undefined, { starttls: "required" }).envelope.isTlsRequired).toBe(true);
    expect(sent(undefined, { starttls: "optional" }).envelope.isTlsRequired).toBe(false);
  });
});

describe("the id of an email", () => {
  const idOf = (...given: readonly Notification[]): string => sent(batch(...given)).body.message_id;

  it("is of the sender's domain, and the same for the same message alone", () => {
    expect(idOf(alert("OKX"))).toMatch(/^<\w+\.aggwatch@watch\.example>$/);
    expect(idOf(alert("OKX"))).toBe(idOf(alert("OKX")));
    const ids = [idOf(alert("OKX")), idOf(resolved("OKX")), idOf(alert("BINANCE"))];
    expect(new Set(ids).size).toBe(3);
  });
});

describe("the threads of an email", () => {
  const threadsOf = (...given: readonly Notification[]): readonly string[] =>
    sent(batch(...given)).body.references;

  it("are the runs of its alerts, each once", () => {
    expect(threadsOf(resolved("OKX"))).toEqual(threadsOf(alert("OKX")));
    expect(threadsOf(alert("OKX"), resolved("OKX"))).toHaveLength(1);
    expect(threadsOf(alert("OKX"))).not.toEqual(threadsOf(alert("OKX", { startedAt: AT })));
  });

  it("are of a proposal and of what becomes of it the same", () => {
    const { proposal: _proposal, ...labels } = PROPOSED.labels;
    const verified = { ...PROPOSED, word: "verified", labels } as const;
    expect(threadsOf(verified)).toEqual(threadsOf(PROPOSED));
    const other = { ...PROPOSED, labels: { ...PROPOSED.labels, entity: "OKX" } };
    expect(threadsOf(other)).not.toEqual(threadsOf(PROPOSED));
  });

  it("are no more than a header may name", () => {
    const many = Array.from({ length: 30 }, (_, index) => alert(`E-${index}`));
    expect(threadsOf(...many)).toHaveLength(20);
  });
});
