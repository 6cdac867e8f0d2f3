import { compileProfile } from "../aggregator/profile.ts";
import type { SettingsCheck } from "../config/settings/settings.ts";
import { senderProblems } from "../io/aggregator/request-sender.ts";
import { openCredential } from "../io/http/credentials.ts";

/**
 * Checks that the wire profile compiles, and that base URL and credentials can be sent. Only the code that uses them
 * can tell; only the config knows the places of what is wrong.
 */
export const wireCheck: SettingsCheck = (settings) =>
  settings.aggregators.flatMap(({ wire, baseUrl, auth, ...form }, index) => {
    const compiled = compileProfile(wire, form);
    const profile = compiled.ok ? [] : compiled.problem;
    const credentials = { read: openCredential(auth.read), act: openCredential(auth.act) };
    return [
      ...profile.map((problem) => ({ ...problem, path: ["wire", ...problem.path] })),
      ...senderProblems({ baseUrl, auth: credentials }),
    ].map((problem) => ({ ...problem, path: ["aggregators", index, ...problem.path] }));
  });
