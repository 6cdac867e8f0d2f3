import type { SettingsCheck } from "../config/settings/settings.ts";
import type { ChannelSettings } from "../config/settings/resolve-notify.ts";
import { credentialHeaders, openCredential } from "../io/http/credentials.ts";
import type { Destination, Login } from "../notifiers/notifier.ts";

/** Here the secrets of a channel leave their wrapper: on the way to the request. */
export function revealDestination(channel: ChannelSettings): Destination {
  const credential = credentialHeaders(openCredential(channel.auth));
  // The settings' own check has tried it already, so a problem here is a bug.
  if (!credential.ok) throw new Error(`the credential of ${channel.policy.name} was not checked`);
  const secrets = Object.fromEntries(
    Object.entries(channel.secrets).map(([name, secret]) => [name, secret.reveal()]),
  );
  return {
    url: secrets["url"] ?? channel.url ?? "",
    headers: credential.value.headers,
    login: loginOf(channel),
    secrets,
    options: channel.options,
    body: channel.body?.render,
  };
}

function loginOf({ auth }: ChannelSettings): Login | undefined {
  const open = openCredential(auth);
  return open.type === "basic" ? open : undefined;
}

/** Says which credentials cannot be sent, before the first notification. Channels are in the order of the config. */
export const notifyCheck: SettingsCheck = ({ notify }) =>
  [...Map.groupBy(notify.channels, ({ notifier }) => notifier.key)].flatMap(([key, channels]) =>
    channels.flatMap(({ auth }, index) => {
      const made = credentialHeaders(openCredential(auth));
      if (made.ok) return [];
      return [{ path: ["notify", key, index, "auth"], message: `auth: ${made.problem}` }];
    }),
  );
