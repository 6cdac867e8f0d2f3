import { createHash } from "node:crypto";
import type { ConsoleFiles } from "./files.ts";

/** The page that loads the console, and the script sources that its policy must allow. */
type IndexPage = {
  readonly html: string;
  /** The sources of script that a browser may run: this server's own, and the import map by its hash. */
  readonly scriptSources: readonly string[];
};

/** The data of the first view, requested along with its modules, not after them. */
const FIRST_ANSWER = "api/v1/overview";

/** Its addresses are relative, so that it works behind a proxy under any path. */
export function indexPageOf({ hash, entry, first, style, imports }: ConsoleFiles): IndexPage {
  const at = (path: string): string => `./console/${hash}/${path}`;
  const map = JSON.stringify({
    imports: Object.fromEntries(Object.entries(imports).map(([name, path]) => [name, at(path)])),
  });
  const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>aggwatch</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${at(style)}">
    <script type="importmap">${map}</script>
    <link rel="preload" href="./${FIRST_ANSWER}" as="fetch" crossorigin="anonymous">
    ${first.map((path) => `<link rel="modulepreload" href="${at(path)}">`).join("\n    ")}
    <script type="module" src="${at(entry)}"></script>
    <noscript><meta http-equiv="refresh" content="0; url=./plain"></noscript>
  </head>
  <body>
    <div id="console"><p class="quiet">Loading … <a href="./plain">The plain page</a> needs no script.</p></div>
  </body>
</html>
`;
  const mapHash = createHash("sha256").update(map).digest("base64");
  return { html, scriptSources: ["'self'", `'sha256-${mapHash}'`] };
}
