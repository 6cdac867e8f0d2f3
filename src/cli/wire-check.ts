import { compileProfile } from "../aggregator/profile.ts";
import type { HttpList } from "../config/settings/resolve-watch.ts";
import type { SettingsCheck } from "../config/settings/settings.ts";
import { senderProblems } from "../io/aggregator/request-sender.ts";
import { credentialHeaders, openCredential } from "../io/http/credentials.ts";

/**
 * Checks that the wire profile compiles, and that base URL and credentials, also of watch lists, can be sent. Only the
 * code that uses them can tell; only the config knows the places of what is wrong.
 */
export const wireCheck: SettingsCheck = (settings) =>
  settings.aggregators.flatMap(({ wire, baseUrl, auth, watchSources, ...form }, index) => {
    const compiled = compileProfile(wire, form);
    const profile = compiled.ok ? [] : compiled.problem;
    const credentials = { read: openCredential(auth.read), act: openCredential(auth.act) };
    return [
      ...profile.map((problem) => ({ ...problem, path: ["wire", ...problem.path] })),
      ...senderProblems({ baseUrl, auth: credentials }),
      ...watchSources.http.flatMap(listProblems),
    ].map((problem) => ({ ...problem, path: ["aggregators", index, ...problem.path] }));
  });

function listProblems({ auth }: HttpList, index: number) {
  const made = credentialHeaders(openCredential(auth));
  if (made.ok) return [];
  return [{ path: ["watch", "http", index, "auth"], message: `auth: ${made.problem}` }];
}
