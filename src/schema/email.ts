import { z } from "zod";
import { field, refuse } from "./fields.ts";

/** An SMTP server: `smtp:` begins in the clear and switches to TLS (STARTTLS), `smtps:` is TLS from the start. */
export const smtpUrl = (means: string) =>
  field(
    z.string().superRefine((value, context) => {
      const url = URL.parse(value);
      if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === "")
        refuse(context, "is not an smtp or smtps URL", "for example smtp://smtp.example:587");
      else if (url.username !== "" || url.password !== "")
        refuse(
          context,
          "holds a user name or password",
          "use auth, with a file or a variable for the password",
        );
      else if (/^\/?$/.test(url.pathname + url.search + url.hash)) return;
      else
        refuse(context, "holds more than a host and a port", "for example smtp://smtp.example:587");
    }),
    "text",
    means,
  );

const ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/;

const address = z.string().regex(ADDRESS, { error: "is not the address of an email" });

export const emailAddress = (means: string) => field(address, "text", means);

export const emailAddresses = (means: string) =>
  field(z.array(address).min(1, "must name an address at least"), "list", means);
