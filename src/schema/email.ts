import { z } from "zod";
import { field, soundText } from "./fields.ts";
import { holdsUser } from "./url.ts";

/** An SMTP server: `smtp:` begins in the clear and switches to TLS (STARTTLS), `smtps:` is TLS from the start. */
export const smtpUrl = (means: string) =>
  field(
    soundText((value) => {
      const url = URL.parse(value);
      const example = "for example smtp://smtp.example:587";
      if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === "")
        return ["is not an smtp or smtps URL", example];
      if (holdsUser(url))
        return [
          "holds a user name or password",
          "use auth, with a file or a variable for the password",
        ];
      const isBare = /^\/?$/.test(url.pathname + url.search + url.hash);
      return isBare ? [] : ["holds more than a host and a port", example];
    }),
    "text",
    means,
  );

const ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/;

const address = z.string().regex(ADDRESS, { error: "is not the address of an email" });

export const emailAddress = (means: string) => field(address, "text", means);

export const emailAddresses = (means: string) =>
  field(z.array(address).min(1, "must name an address at least"), "list", means);
