import { z } from "zod";
import { secretKeys } from "./credential.ts";
import { field, orText, path, soundText, text } from "./fields.ts";
import { holdsUser } from "./url.ts";

/** How a server is reached: the identity it must prove, the one that we show, and through which proxy. */

const tls = z
  .strictObject({
    ca_file: path(
      "A file with the certificates (PEM) of the CAs that are trusted, instead of the public ones.",
    ).optional(),
    cert_file: path(
      "A file with our own certificate (PEM), for a server that demands one; its chain may follow it.",
    ).optional(),
    ...secretKeys("key", "the private key (PEM) of our certificate"),
    ...secretKeys("key_passphrase", "the passphrase of that key"),
  })
  .prefault({});

const proxyUrl = field(
  soundText((value) => {
    const url = URL.parse(value);
    if (url === null || url.protocol !== "http:" || url.pathname !== "/" || url.search !== "")
      return ["is not the address of an HTTP proxy", "for example http://proxy.example:3128"];
    const use = "use proxy.username, and proxy.password_file or proxy.password_env";
    return holdsUser(url) ? ["holds a user name or password", use] : [];
  }),
  "text",
  "An HTTP proxy, such as `http://proxy.example:3128`, which is asked for a tunnel (`CONNECT`). Without it there is none.",
);

const proxy = orText(
  "url",
  z.strictObject({
    url: proxyUrl,
    username: text("The user name for the proxy.").optional(),
    ...secretKeys("password", "the password for the proxy"),
  }),
).optional();

/** The keys of everything that requests are sent to. */
export const routeKeys = { tls, proxy };

export type RouteText = {
  readonly tls: z.output<typeof tls>;
  readonly proxy?: z.output<typeof proxy>;
};
