import type { Credential } from "../../config/settings/resolve-credential.ts";
import type { Auth } from "./credentials.ts";

/** Here secrets leave their wrapper: on the way to what sends them. */
export function authOf(credential: Credential): Auth {
  switch (credential.type) {
    case "none":
      return { type: "none" };
    case "bearer":
      return { type: "bearer", token: credential.token.reveal() };
    case "basic":
      return {
        type: "basic",
        username: credential.username,
        password: credential.password.reveal(),
      };
    case "header":
      return { type: "header", name: credential.name, value: credential.value.reveal() };
  }
}
