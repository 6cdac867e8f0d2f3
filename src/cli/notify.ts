import { Argument } from "commander";
import type { Delivery } from "../domain/notification.ts";
import { formatDuration } from "../domain/time.ts";
import { systemClock } from "../io/process/clock.ts";
import { testChannel } from "../run/notify-test.ts";
import type { ChannelSetup } from "../run/notify-setup.ts";
import { EXIT, type CliCommand } from "./context.ts";
import { loadAll } from "./load.ts";
import { notifySetup } from "./notify-setup-of.ts";
import { table } from "./table.ts";

type NotifyOptions = {
  readonly config?: string;
  readonly rules?: string;
  readonly channel?: string;
};

/** `aggwatch notify test`: sends a test through each channel of the config, and says what came back. */
export const notifyCommand: CliCommand<NotifyOptions> = {
  name: "notify",
  describe: (command) =>
    command
      .description("Sends a test notification through every channel of the config.")
      .addArgument(new Argument("<what>", "what to do").choices(["test"]))
      .option("--config <file>", "the config file (default: AGGWATCH_CONFIG, or none)")
      .option("--rules <directory>", "the directory of the rule files (default: ./rules)")
      .option("--channel <name>", "this channel only"),
  run: async (options, context) => {
    const { config, rules } = options;
    const loaded = loadAll({ config, env: context.env, flags: { rules } });
    if (!loaded.ok) {
      context.complain(loaded.problem);
      return EXIT.problem;
    }
    const setup = notifySetup(loaded.value.settings.notify);
    const channels = setup.channels.filter(
      ({ name }) => options.channel === undefined || options.channel === name,
    );
    if (channels.length === 0) {
      context.complain(noChannel(setup.channels, options.channel));
      return EXIT.problem;
    }
    const world = { clock: systemClock(0), signal: new AbortController().signal };
    const rows = await Promise.all(
      channels.map(async (channel) => ({
        channel,
        delivery: await testChannel(setup, channel, world),
      })),
    );
    context.print(
      table(["channel", "type", "outcome", "took", "answer"], rows.map(rowOf)).join("\n"),
    );
    return rows.every(({ delivery }) => delivery?.outcome === "delivered") ? EXIT.ok : EXIT.problem;
  },
};

function rowOf({
  channel: { name, type },
  delivery,
}: {
  readonly channel: ChannelSetup;
  readonly delivery: Delivery | undefined;
}): string[] {
  if (delivery === undefined) return [name, type, "failed", "", "given up"];
  return [name, type, delivery.outcome, formatDuration(delivery.durationMs), delivery.detail];
}

function noChannel(channels: readonly ChannelSetup[], wanted: string | undefined): string {
  if (wanted === undefined || channels.length === 0)
    return "no channel is configured: set notify.alertmanagers, webhooks, slack or pagerduty; docs/notifications.md explains them";
  return `there is no channel "${wanted}"; there are: ${channels.map(({ name }) => name).join(", ")}`;
}
