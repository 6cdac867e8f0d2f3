import { isIP } from "node:net";
import { listOf, path, soundText, truth } from "../../schema/fields.ts";
import { section } from "../../schema/section.ts";
import { httpUrl } from "../../schema/url.ts";

/** The part `server:` of the config: who may ask, and which proxies are trusted to say who asked. */

const HOST_NAME = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/i;

const hostName = soundText((name) =>
  HOST_NAME.test(name)
    ? []
    : ["is not the name of a host", "for example aggwatch.example, without scheme and port"],
);

const addressRange = soundText((text) =>
  isAddressRange(text)
    ? []
    : ["is neither an IP address nor a range of them", "for example 10.0.0.7 or 10.0.0.0/8"],
);

function isAddressRange(text: string): boolean {
  const [, address = "", bits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address);
  return family !== 0 && Number(bits ?? 0) <= (family === 4 ? 32 : 128);
}

export const serverSchema = section({
  external_url: httpUrl(
    "How people reach this aggwatch, for links to its page and its runbooks. Without it there are none.",
  ).optional(),
  hosts: listOf(
    hostName,
    "Names under which it is reached, beside `localhost`, the name in `listen` and every IP address. A request with another `Host` gets 421, so that no web page reads it through a name of its own (DNS rebinding).",
  ).prefault([]),
  trusted_proxies: listOf(
    addressRange,
    "Addresses, or ranges such as `10.0.0.0/8`, of reverse proxies. Only their `X-Forwarded-For` and `X-Forwarded-Host` are believed.",
  ).prefault([]),
  mcp: truth(
    "Answers agents at `/mcp` (Model Context Protocol), if their token has the scope `read`.",
  ).prefault(false),
  tokens_file: path(
    "A file with the tokens that writing calls need. Without it they are off.",
  ).nullish(),
});
