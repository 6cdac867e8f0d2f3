import { Argument } from "commander";
import type { ChannelSettings } from "../config/settings/resolve-notify.ts";
import type { Delivery } from "../domain/notification.ts";
import { secretsOf } from "../config/settings/setting-entries.ts";
import { formatDuration } from "../domain/time.ts";
import { systemClock } from "../io/process/clock.ts";
import { createRedactor } from "../io/redact/redactor.ts";
import { notifiers } from "../notifiers/index.ts";
import { testChannel } from "../run/notify-test.ts";
import { CONFIG_OPTION } from "./config-path.ts";
import { EXIT, interruptedBy, refuse, type CliCommand } from "./context.ts";
import { loadAll, RULES_OPTION } from "./load.ts";
import { table } from "./table.ts";

type NotifyOptions = {
  readonly config?: string;
  readonly rules?: string;
  readonly channel?: string;
  readonly json?: true;
};

/** `aggwatch notify test`: sends a test through each channel of the config, and prints the answers. */
export const notifyCommand: CliCommand<NotifyOptions> = {
  name: "notify",
  describe: (command) =>
    command
      .description("Sends a test notification through every channel of the config.")
      .addArgument(new Argument("<what>", "what to do").choices(["test"]))
      .option(...CONFIG_OPTION)
      .option(...RULES_OPTION)
      .option("--channel <name>", "this channel only")
      .option("--json", "prints JSON"),
  run: async (options, context) => {
    const { config, rules } = options;
    const loaded = loadAll({ config, env: context.env, flags: { rules } });
    if (!loaded.ok) return refuse(context, loaded.problem);
    const { settings } = loaded.value;
    const { notify } = settings;
    const channels = notify.channels.filter(
      ({ policy }) => options.channel === undefined || options.channel === policy.name,
    );
    if (channels.length === 0) return refuse(context, noChannel(notify.channels, options.channel));
    const { redact } = createRedactor(secretsOf(settings));
    const world = { clock: systemClock(0), signal: context.signal, redact };
    const tested = await Promise.all(
      channels.map(async (one) => testedOf(one, await testChannel(notify, one, world))),
    );
    if (options.json === true) context.output(JSON.stringify(tested, null, 2));
    else {
      const heads = ["channel", "type", "outcome", "took", "answer"];
      context.print(table(heads, tested.map(rowOf), context.width).join("\n"));
    }
    if (context.signal.aborted) return refuse(context, interruptedBy(context));
    return tested.every(({ outcome }) => outcome === "delivered") ? EXIT.ok : EXIT.problem;
  },
};

type Tested = ReturnType<typeof testedOf>;

/** What came of a test, as JSON has it. */
function testedOf({ policy: { name: channel, type } }: ChannelSettings, delivery?: Delivery) {
  if (delivery === undefined) return { channel, type, outcome: "failed", detail: "given up" };
  const { outcome, durationMs: took_ms, detail } = delivery;
  return { channel, type, outcome, took_ms, detail };
}

function rowOf({ channel, type, outcome, took_ms, detail }: Tested): string[] {
  return [channel, type, outcome, took_ms === undefined ? "" : formatDuration(took_ms), detail];
}

function noChannel(channels: readonly ChannelSettings[], wanted: string | undefined): string {
  if (wanted === undefined || channels.length === 0) {
    const keys = notifiers.map(({ key }) => `notify.${key}`).join(", ");
    return `no channel is configured: set one of ${keys}; docs/notifications.md explains them`;
  }
  const names = channels.map(({ policy }) => policy.name).join(", ");
  return `there is no channel "${wanted}"; there are: ${names}`;
}
