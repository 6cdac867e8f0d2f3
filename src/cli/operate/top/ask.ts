import { succeed, type Result } from "../../../domain/result.ts";
import type { Codec } from "../../../io/api/codec.ts";
import { alertsAnswer } from "../../../io/api/lists/alerts.ts";
import { pollersAnswer } from "../../../io/api/lists/pollers.ts";
import { overviewAnswer } from "../../../io/api/overview/overview.ts";
import type { CliContext } from "../../context.ts";
import { askDaemon, OVERVIEW, type ClientOptions } from "../client.ts";
import type { Shown } from "./screen.ts";

const MOST_ALERTS = 200;
const ALERTS = `/api/v1/alerts?state=firing,pending&limit=${MOST_ALERTS}`;

/** Asks a daemon for all that the screen shows. */
export async function askAll(
  options: ClientOptions,
  context: CliContext,
): Promise<Result<Shown, string>> {
  const ask = <Value, Json>(path: string, answer: Codec<Value, Json>) =>
    askDaemon({ path }, answer, options, context);
  const [overview, alerts, pollers] = await Promise.all([
    ask(OVERVIEW, overviewAnswer),
    ask(ALERTS, alertsAnswer),
    ask("/api/v1/pollers?span=1h", pollersAnswer),
  ]);
  if (!overview.ok) return overview;
  if (!alerts.ok) return alerts;
  if (!pollers.ok) return pollers;
  return succeed({ overview: overview.value, alerts: alerts.value, pollers: pollers.value });
}
