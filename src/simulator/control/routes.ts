import * as z from "zod";
import type { Json } from "../../domain/result.ts";
import { refuse, type Answer } from "../routes/answer.ts";
import type { Outcome } from "./command.ts";
import { COMMANDS } from "./control.ts";
import { ENDPOINT_NAMES } from "../routes/interface.ts";
import type { LoggedRequest } from "../routes/request-log.ts";
import { readBody, readQuery, type SimulatorRequest } from "../routes/request.ts";

/** Control over HTTP. It is not part of the interface, and never in the request log. */

export const CONTROL_PREFIX = "/_sim";

type ControlPort = {
  readonly snapshot: () => Json;
  readonly requestLog: () => readonly LoggedRequest[];
  readonly control: (command: unknown) => Outcome;
  readonly reset: () => void;
};

const logQuery = z.object({
  method: z.string().optional(),
  endpoint: z.string().optional(),
  /** Only requests with a higher number. */
  after: z
    .string()
    .regex(/^\d{1,15}$/, "must be a whole number")
    .default("0"),
});

function listRequests(port: ControlPort, request: SimulatorRequest): Answer {
  const query = readQuery(request, logQuery);
  if (!query.ok) return query.problem;
  const { method, endpoint, after } = query.value;
  const log = port.requestLog();
  const requests = log.filter(
    (entry) =>
      entry.number > Number(after) &&
      (method === undefined || entry.method === method.toUpperCase()) &&
      (endpoint === undefined || entry.endpoint === endpoint),
  );
  return { status: 200, body: { total: log.at(-1)?.number ?? 0, requests } };
}

/** Runs one command, or a list until one fails. */
function runCommands(port: ControlPort, request: SimulatorRequest): Answer {
  const body = readBody(request, z.unknown());
  if (!body.ok) return body.problem;
  if (!Array.isArray(body.value)) return report(port.control(body.value), "");
  const done: Json[] = [];
  for (const [index, command] of body.value.entries()) {
    const outcome = port.control(command);
    if (!outcome.ok) return report(outcome, `[${index}] `);
    done.push(outcome.value);
  }
  return { status: 200, body: done };
}

function report(outcome: Outcome, place: string): Answer {
  return outcome.ok
    ? { status: 200, body: outcome.value }
    : refuse(400, "malformed", `${place}${outcome.problem}`);
}

function listCommands(): Json {
  return {
    commands: COMMANDS.map(({ name, means, fields }) => ({ do: name, means, fields })),
    endpoints: ENDPOINT_NAMES,
    also: ["GET /_sim/state", "GET /_sim/requests", "POST /_sim/control", "POST /_sim/reset"],
  };
}

export function answerControl(port: ControlPort, request: SimulatorRequest): Answer {
  const path = request.path.slice(CONTROL_PREFIX.length).replace(/\/$/, "");
  switch (`${request.method} ${path}`) {
    case "GET ":
      return { status: 200, body: listCommands() };
    case "GET /state":
      return { status: 200, body: port.snapshot() };
    case "GET /requests":
      return listRequests(port, request);
    case "POST /control":
      return runCommands(port, request);
    case "POST /reset":
      port.reset();
      return { status: 200, body: { reset: true } };
    default:
      return refuse(404, "no_such_path", "GET /_sim/ lists what there is.");
  }
}
