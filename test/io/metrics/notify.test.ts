/** Tests src/io/metrics: notify. */
import { expect, it } from "vitest";
import { step } from "../../../src/core/step.ts";
import type { Batch, Delivery } from "../../../src/domain/notification.ts";
import { MINUTE, SECOND } from "../../../src/domain/time.ts";
import { channel } from "../../core/tell/channels.ts";
import { exchange, policyOf, rule } from "../../core/fixtures.ts";
import { observed, partOf } from "../../core/readings.ts";
import { Scraped } from "./scrape.ts";

const NAMES = ["hook", "other"];
const channels = NAMES.map((name) => channel(name));
const notify = { channels, suppressedAfterMs: MINUTE, annotations: "live" } as const;

/** What is sent to each channel, once an exchange is seen to be disabled. */
function seesDisabled(scraped: Scraped): Map<string, Batch> {
  scraped.now += SECOND;
  const parts = [partOf("all", scraped.now, [exchange("BINANCE", "disabled")])];
  const event = observed("exchanges", parts);
  const { effects, changes } = step(scraped.policy, scraped.state, event, scraped.now);
  scraped.metrics.changed(changes);
  return new Map(
    effects.flatMap((effect) =>
      effect.type === "notify" ? [[effect.batch.channel, effect.batch] as const] : [],
    ),
  );
}

function comesTo(scraped: Scraped, batch: Batch | undefined, outcome: Delivery["outcome"]): void {
  if (batch === undefined) throw new Error("nothing was sent");
  const delivery = { outcome, detail: "", durationMs: 20 };
  scraped.tells({ type: "notified", batch, delivery });
}

it("the outbox shows for each channel what waits, and since when, until it is delivered", async () => {
  const scraped = new Scraped({ ...policyOf([rule()]), notify }).tells({ type: "started" });
  const waiting = () => scraped.series("aggwatch_outbox_notifications");
  const oldest = () => scraped.series("aggwatch_outbox_oldest_timestamp_seconds");
  expect(await waiting()).toEqual(["hook 0", "other 0"]);
  expect(await oldest()).toEqual([]);

  const batches = seesDisabled(scraped);
  const since = scraped.now / SECOND;
  expect(await waiting()).toEqual(["hook 1", "other 1"]);
  expect(await oldest()).toEqual([`hook ${since}`, `other ${since}`]);

  comesTo(scraped, batches.get("hook"), "failed");
  comesTo(scraped, batches.get("other"), "delivered");
  expect(await waiting()).toEqual(["hook 1", "other 0"]);
  expect(await oldest(), "a failure makes it no younger").toEqual([`hook ${since}`]);
  expect(await scraped.series("aggwatch_notifications_total")).toEqual(
    expect.arrayContaining([
      "hook,failed 1",
      "hook,delivered 0",
      "other,delivered 1",
      "other,failed 0",
    ]),
  );
});
