import type { AggregatorSettings } from "../config/settings/settings.ts";
import type { Probed } from "../io/probe/probe-endpoint.ts";
import type { ProbedEndpoint, ProbeReport } from "../io/probe/probe.ts";
import { plain, table } from "./table.ts";

/** The table for people, what to set where something was not read, and whether the pollers will do. */
export function tellProbe(
  { name, baseUrl }: Pick<AggregatorSettings, "name" | "baseUrl">,
  { endpoints, pollers }: ProbeReport,
): readonly string[] {
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
    "",
    verdict(pollers),
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

function verdict(pollers: ProbeReport["pollers"]): string {
  const failed = pollers.filter(({ ok }) => !ok).map(({ name }) => name);
  return failed.length === 0
    ? "All that the pollers need is read right."
    : `Not read right: what ${failed.join(", ")} ${failed.length === 1 ? "needs" : "need"}. Nothing is concluded from it, and nothing repaired, until that is mended.`;
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** The shape of `--json`. Keys are added to it, and never change what they mean. */
export function wireOfProbe(
  reports: ReadonlyArray<{ readonly name: string; readonly report: ProbeReport }>,
): unknown {
  return {
    ok: reports.every(({ report }) => report.pollers.every(({ ok }) => ok)),
    aggregators: reports.map(({ name, report }) => ({
      name,
      pollers: report.pollers,
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
