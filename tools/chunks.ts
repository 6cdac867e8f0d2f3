import { join } from "node:path";

/**
 * Those that are to load nothing in vain: the daemon, a short command, and what runs beside a daemon in little memory.
 * Names only have to be short.
 */
const SPARING: Readonly<Record<string, string>> = {
  run: "src/cli/run.ts",
  status: "src/cli/operate/status.ts",
  program: "src/cli/program.ts",
  main: "src/main.ts",
  "check-thread": "src/io/journal/check-thread.ts",
  "past-thread": "src/record/past/past-thread.ts",
  "files-thread": "src/io/console/files-thread.ts",
};

/** What the bundler knows of its modules. */
type Graph = {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
};

/**
 * Names the file of the package that a module of the daemon goes into: to find a file and to open it costs a start more
 * than to read what is in it. So modules that the same of the sparing need go into one file. What only some other
 * command needs is left to the bundler.
 *
 * What a module imports is needed by all that need the module, so no two files import each other.
 */
export function chunkNames(root: string): (id: string, graph: Graph) => string | null {
  const needed = new Map<string, ReadonlySet<string>>();
  return (id, graph) => {
    if (needed.size === 0)
      for (const [name, path] of Object.entries(SPARING))
        needed.set(name, importedBy(join(root, path), graph));
    const users = [...needed].flatMap(([name, modules]) => (modules.has(id) ? [name] : []));
    return users[0] === "run" || users.length > 1 ? users.join("-") : null;
  };
}

/** The module and all that is loaded with it. */
function importedBy(entry: string, graph: Graph): ReadonlySet<string> {
  const found = new Set([entry]);
  // A set goes on over what is added meanwhile.
  for (const id of found)
    for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  return found;
}
