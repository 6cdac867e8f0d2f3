import type { Settings, SettingsCheck } from "../config/settings/settings.ts";
import { credentialOf } from "../io/http/credentials.ts";
import type { ChannelSetup, NotifySetup } from "../run/notify-setup.ts";
import { authOf } from "./auth-of.ts";

/** The channels of the settings as what sends through them is told of them. */
export function notifySetup({ channels, ...rest }: Settings["notify"]): NotifySetup {
  return { ...rest, channels: channels.map(channelSetup) };
}

function channelSetup(channel: Settings["notify"]["channels"][number]): ChannelSetup {
  const { name, type, topics, leastSeverity, match, url, secretUrl, routingKey, body } = channel;
  const auth = credentialOf(authOf(channel.auth));
  // The settings' own check has tried it already, so a problem here is a bug.
  if (!auth.ok) throw new Error(`the credential of ${name} was not checked`);
  const target = secretUrl?.reveal() ?? url ?? "";
  const key = routingKey?.reveal();
  return {
    name,
    type,
    topics,
    leastSeverity,
    match,
    destination: {
      url: target,
      headers: auth.value.headers,
      ...(key === undefined ? {} : { routingKey: key }),
      ...(body === undefined ? {} : { body: body.render }),
    },
    secrets: [
      ...auth.value.secrets,
      ...(key === undefined ? [] : [key]),
      ...(secretUrl === undefined ? [] : [target, new URL(target).pathname]),
    ],
  };
}

/** That the credentials can be sent is for those to say who send them. */
export const notifyCheck: SettingsCheck = ({ notify }) =>
  notify.channels.flatMap(({ name, auth }) => {
    const made = credentialOf(authOf(auth));
    return made.ok ? [] : [{ path: ["notify"], message: `the auth of ${name}: ${made.problem}` }];
  });
