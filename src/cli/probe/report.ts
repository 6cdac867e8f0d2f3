import type { AggregatorSettings } from "../../config/settings/settings.ts";
import type { Probed } from "../../io/probe/probe-endpoint.ts";
import { isRight, type ProbedEndpoint, type ProbeReport } from "../../io/probe/probe.ts";
import { tellRules, verdictLines, wireOfRules } from "./rules.ts";
import { plain, table } from "../table.ts";

/** The table for people, what to set where something was not read, and whether the pollers will do. */
export function tellProbe(
  { name, baseUrl }: Pick<AggregatorSettings, "name" | "baseUrl">,
  report: ProbeReport,
): readonly string[] {
  const { endpoints, pollers } = report;
  const rows = endpoints.map((one) => [
    one.endpoint,
    one.neededBy.join(", ") || "-",
    "status" in one && one.status !== undefined ? String(one.status) : "-",
    "latencyMs" in one && one.latencyMs !== undefined ? `${Math.round(one.latencyMs)} ms` : "-",
    plain(resultOf(one)),
  ]);
  const failed = endpoints.flatMap((one) => (one.outcome === "failed" ? [one] : []));
  return [
    `${name} at ${baseUrl}`,
    "",
    ...table(["endpoint", "needed by", "status", "latency", "result"], rows),
    ...explained(failed),
    "",
    ...table(
      ["poller", "result"],
      pollers.map((poller) => [
        poller.name,
        plain(
          poller.ok
            ? (poller.problem ?? `reads ${count(poller.entities ?? 0, "entity", "entities")}`)
            : `CANNOT READ: ${poller.problem ?? ""}`,
        ),
      ]),
    ),
    ...tellRules(report),
    "",
    ...verdictLines(report),
    "",
  ];
}

function resultOf(one: ProbedEndpoint): string {
  switch (one.outcome) {
    case "read":
      return `read, ${count(one.entries ?? 0, "entry", "entries")}`;
    case "not_asked":
      return `not asked: ${one.why}`;
    case "failed":
      return one.mismatch === undefined
        ? `${one.failure?.reason ?? "failed"}: ${one.failure?.message ?? ""}`
        : `mismatch at ${one.mismatch.path}`;
  }
}

/** What is the same of several, as where nothing answers at all, is said once for all of them. */
function explained(failed: readonly Probed[]): readonly string[] {
  const groups = Map.groupBy(failed, (one) => explain(one).map(plain).join("\n"));
  return [...groups].flatMap(([text, own]) => [
    "",
    ...own.map(({ endpoint, request }) => plain(`${endpoint}: ${request}`)),
    ...text.split("\n"),
  ]);
}

function explain(one: Probed): string[] {
  const { endpoint, mismatch, advice, map } = one;
  return [
    ...(mismatch === undefined
      ? [`  ${one.failure?.message ?? ""}`]
      : [
          `  at       ${mismatch.path}`,
          `  expected ${mismatch.expected}`,
          `  received ${mismatch.received}`,
        ]),
    ...(advice === undefined ? [] : [`  change   ${advice}`]),
    ...(map === undefined
      ? []
      : [
          "  This reads the body that came; check that its fields mean what they are taken for:",
          "    wire:",
          `      ${endpoint}:`,
          `        map: '${map.replaceAll("'", "''")}'`,
        ]),
  ];
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** The shape of `--json`. Keys are added to it, and never change what they mean. */
export function wireOfProbe(
  reports: ReadonlyArray<{ readonly name: string; readonly report: ProbeReport }>,
): object {
  return {
    ok: reports.every(({ report }) => isRight(report)),
    aggregators: reports.map(({ name, report }) => ({
      name,
      pollers: report.pollers,
      ...wireOfRules(report),
      endpoints: report.endpoints.map((one) => ({
        endpoint: one.endpoint,
        outcome: one.outcome,
        needed_by: one.neededBy,
        ...(one.outcome === "not_asked"
          ? { why: one.why }
          : {
              request: one.request,
              status: one.status ?? null,
              latency_ms: one.latencyMs ?? null,
              entries: one.entries ?? null,
              reason: one.failure?.reason ?? null,
              message: one.failure?.message ?? null,
              mismatch: one.mismatch ?? null,
              change: one.advice ?? null,
              map: one.map ?? null,
            }),
      })),
    })),
  };
}
