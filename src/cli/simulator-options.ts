import { Option, type Command } from "commander";
import { renderProblem } from "../config/problem.ts";
import { readYamlSource } from "../config/yaml/yaml-source.ts";
import { fail, succeed, type Result } from "../domain/result.ts";
import { DEFAULT_ACT_KEY, type ActKey } from "../simulator/routes/authority.ts";
import {
  DEPLOYMENT_NAMES,
  findDeployment,
  type Deployment,
} from "../simulator/deployment/deployment.ts";
import { readTextFile } from "../io/process/files.ts";
import { CONTROL_PREFIX } from "../simulator/control/routes.ts";
import { parseScenario } from "../simulator/control/scenario.ts";
import type { Scenario } from "../simulator/control/scenario-schema.ts";
import { suggesting } from "./completion.ts";
import type { Refusal } from "./context.ts";

/** The options of `aggwatch simulator`, as the command line gives them. */
export type SimulatorCliOptions = {
  readonly host: string;
  readonly port: string;
  readonly seed?: string;
  readonly speed: string;
  readonly scenario?: string;
  readonly basePath?: string;
  readonly actHeader: string;
  readonly actKeyFile?: string;
  readonly togglesNeedKey?: true;
  readonly etags?: true;
  readonly deployment?: string;
  readonly printProfile?: true;
};

export type SimulatorSettings = {
  readonly host: string;
  readonly port: number;
  readonly seed: number;
  readonly speed: number;
  readonly basePath: string;
  readonly actKey: ActKey;
  readonly etags: boolean;
  readonly scenario: Scenario | undefined;
  readonly deployment: Deployment | undefined;
  readonly printProfile: boolean;
};

export function describeSimulator(command: Command): Command {
  const { header, value } = DEFAULT_ACT_KEY;
  return command
    .description("Serves a simulated aggregator over HTTP, with a control surface under /_sim/.")
    .option("--host <host>", "the address to listen on", "127.0.0.1")
    .option("--port <port>", "the port to listen on; 0 lets the system choose", "8080")
    .option("--seed <number>", "same seed, same behaviour (default: the scenario's, or 1)")
    .option("--scenario <file>", "a story in YAML: a world, what happens in it, and when")
    .option("--speed <factor>", "how many times faster than real time the model runs", "1")
    .option("--base-path <path>", "a path before all paths, such as a real base URL may have")
    .option("--act-header <name>", "the header that the key comes in", header)
    .option("--act-key-file <file>", `holds the key (default: "${value}")`)
    .option("--toggles-need-key", "the toggles need the key too, not only forced cancellations")
    .addOption(
      suggesting(
        new Option(
          "--deployment <name>",
          `the same world as another deployment says it: ${DEPLOYMENT_NAMES.join(", ")}, or a number for a mixture`,
        ),
        DEPLOYMENT_NAMES,
      ),
    )
    .option("--print-profile", "print the config that fits the deployment, and end")
    .option("--etags", "give every read an ETag, and answer 304 if it is sent back");
}

const LAST_PORT = 65_535;

/** A whole number in its bounds, or undefined. */
export function wholeNumber(text: string, most: number): number | undefined {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return value <= most ? value : undefined;
}

export function readPort(option: string, text: string): Result<number, string> {
  const port = wholeNumber(text, LAST_PORT);
  return port === undefined
    ? fail(`${option}: ${text} is not a port (0 to ${LAST_PORT}).`)
    : succeed(port);
}

function readScenario(file: string): Result<Scenario, readonly string[]> {
  const read = readTextFile(file);
  if (!read.ok) return fail([`${file}: the scenario cannot be read: ${read.problem}`]);
  const source = readYamlSource(file, read.value);
  return source.ok
    ? parseScenario(read.value, file)
    : fail(source.problem.map((one) => renderProblem(one)));
}

function readActKey(options: SimulatorCliOptions): Result<ActKey, string> {
  const { actHeader: header, actKeyFile: file } = options;
  const toggles = options.togglesNeedKey === true;
  if (file === undefined) return succeed({ header, value: DEFAULT_ACT_KEY.value, toggles });
  const read = readTextFile(file);
  if (!read.ok) return fail(`--act-key-file: ${file} cannot be read: ${read.problem}`);
  const value = read.value.trim();
  return value === ""
    ? fail(`--act-key-file: ${file} is empty.`)
    : succeed({ header, value, toggles });
}

function readDeployment({
  deployment: text,
  printProfile,
}: SimulatorCliOptions): Result<Deployment | undefined, string> {
  if (text === undefined && printProfile === true)
    return fail("--print-profile: give --deployment as well; the usual one needs no profile.");
  const found = text === undefined ? undefined : findDeployment(text);
  return text !== undefined && found === undefined
    ? fail(
        `--deployment: ${text} is neither one of ${DEPLOYMENT_NAMES.join(", ")} nor a whole number.`,
      )
    : succeed(found);
}

/** What is wrong with the options under which it is reached. */
function problemsOfAddress({ host, basePath = "", actHeader }: SimulatorCliOptions): string[] {
  const problems: string[] = [];
  // Node would listen on all addresses, so that `--host "$HOST"` of an unset variable would open it to the network.
  if (host === "") problems.push("--host: give an address or a name to listen on.");
  if (!/^(?:\/[\w.~-]+)*$/.test(basePath))
    problems.push(`--base-path: ${basePath} must be like /bsc-mainnet/backend.`);
  else if (`${basePath}/`.startsWith(`${CONTROL_PREFIX}/`))
    problems.push(`--base-path: ${CONTROL_PREFIX} is where the control surface is.`);
  // No client can send it, so no forced cancellation would ever be let in.
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(actHeader))
    problems.push(`--act-header: "${actHeader}" is not a header name.`);
  return problems;
}

/** Reads all options; gives all problems at once. */
export function readSimulatorSettings(
  options: SimulatorCliOptions,
): Result<SimulatorSettings, Refusal> {
  const line: string[] = [];
  const { host, basePath = "" } = options;
  const port = readPort("--port", options.port);
  if (!port.ok) line.push(port.problem);
  const seed = wholeNumber(options.seed ?? "1", Number.MAX_SAFE_INTEGER);
  if (seed === undefined) line.push(`--seed: ${options.seed} is not a whole number.`);
  const speed = Number(options.speed);
  if (!(speed > 0 && speed <= 1_000))
    line.push(`--speed: ${options.speed} is not above 0 and at most 1000.`);
  line.push(...problemsOfAddress(options));
  const actKey = readActKey(options);
  const deployment = readDeployment(options);
  if (!deployment.ok) line.push(deployment.problem);
  const read = options.scenario === undefined ? undefined : readScenario(options.scenario);
  const files = [actKey, read].flatMap((one) => (one?.ok === false ? one.problem : []));
  if (
    !port.ok ||
    seed === undefined ||
    !actKey.ok ||
    !deployment.ok ||
    line.length + files.length > 0
  )
    return fail({ line, files });
  const scenario = read?.ok ? read.value : undefined;
  const usedSeed = options.seed === undefined ? (scenario?.seed ?? seed) : seed;
  const where = { host, port: port.value, basePath, etags: options.etags === true };
  const shape = { deployment: deployment.value, printProfile: options.printProfile === true };
  return succeed({ ...where, ...shape, seed: usedSeed, speed, actKey: actKey.value, scenario });
}
