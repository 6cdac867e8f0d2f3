import { counted } from "../../domain/wording.ts";
import type { AggregatorSettings } from "../../config/settings/resolve-aggregator.ts";
import type { Probed as ProbedAlone } from "../../io/probe/probe-endpoint.ts";
import type { Suggested } from "../../io/probe/suggest-map.ts";
import { readsText } from "../../io/probe/suggest-settings.ts";
import { isElsewhere, prefixText, type PrefixSearch } from "../../io/probe/elsewhere.ts";
import { isRight, type ProbedEndpoint, type ProbeReport } from "../../io/probe/probe.ts";
import { ruleLines, verdictLines, rulesJson } from "./rules.ts";
import { plain, table } from "../table.ts";

type Probed = ProbedAlone & Suggested;

/** The report for people: the table, what to set if something was not read, and whether polling will work. */
export function probeLines(
  { name, baseUrl }: Pick<AggregatorSettings, "name" | "baseUrl">,
  report: ProbeReport,
  width: number | undefined,
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
    ...table(["endpoint", "needed by", "status", "latency", "result"], rows, width),
    ...(report.elsewhere === undefined ? [] : elsewhereLines(report.elsewhere)),
    ...(isElsewhere(endpoints) ? [] : explained(failed)),
    ...endpoints.flatMap((one) => (one.outcome === "read" ? fullerLines(one) : [])),
    "",
    ...table(
      ["poller", "result"],
      pollers.map((poller) => [
        poller.name,
        plain(
          poller.ok
            ? (poller.problem ?? `reads ${counted(poller.entities ?? 0, "entity", "entities")}`)
            : `CANNOT READ: ${poller.problem ?? ""}`,
        ),
      ]),
      width,
    ),
    ...ruleLines(report, width),
    "",
    ...verdictLines(report),
    "",
  ];
}

function resultOf(one: ProbedEndpoint): string {
  switch (one.outcome) {
    case "read":
      return `read, ${counted(one.entries ?? 0, "entry", "entries")}`;
    case "not_asked":
      return `not asked: ${one.why}`;
    case "failed":
      return one.mismatch === undefined
        ? `${one.failure?.reason ?? "failed"}: ${one.failure?.message ?? ""}`
        : `mismatch at ${one.mismatch.path}`;
  }
}

/** Printed once, and not for each path. */
function elsewhereLines({ tried, found }: PrefixSearch): readonly string[] {
  const list = tried.map(prefixText).join(", ");
  return [
    "",
    "None of the paths that are set is known there: each has status 404.",
    ...(tried.length === 0 ? [] : [`  tried    GET of the lists of exchanges under ${list}`]),
    found === undefined
      ? "  change   base_url or api_prefix: what stands before all paths is another"
      : `  change   api_prefix: ${prefixText(found)}, which answers; all above was asked under it`,
  ];
}

/** A problem that several endpoints share (nothing answers at all, say) is printed once. */
function explained(failed: readonly Probed[]): readonly string[] {
  const textOf = (one: Probed): string => explain(one).map(plain).join("\n");
  const groups = Map.groupBy(failed, (one) =>
    textOf(one).replaceAll(`wire.${one.endpoint}.`, "wire.<endpoint>."),
  );
  return [...groups].flatMap(([text, own]) => [
    "",
    ...own.map(({ endpoint, request }) => plain(`${endpoint}: ${request}`)),
    ...(own.length === 1 ? own.map(textOf) : [text]).flatMap((one) => one.split("\n")),
  ]);
}

/** A map for an endpoint that is read already: with the map it would give more facts. */
function fullerLines(one: Probed): readonly string[] {
  const { suggestion = one.fuller } = one;
  if (suggestion === undefined) return [];
  const head = plain(`${one.endpoint}: ${one.request}`);
  return [
    "",
    head,
    one.suggestion === undefined
      ? "  says more than your map reads of it, which stays: it may leave that out on purpose"
      : "  is read, and says more than is read of it",
    ...suggestionLines({ ...one, suggestion }).map(plain),
  ];
}

function suggestionLines({ endpoint, suggestion }: Probed): readonly string[] {
  if (suggestion === undefined) return [];
  const { map, entries, unused, lacks } = suggestion;
  const list = (fields: readonly string[]): string =>
    fields.length > MOST_FIELDS
      ? `${fields.slice(0, MOST_FIELDS).join(", ")}, …`
      : fields.join(", ");
  return [
    `  ${readsText(entries)} Check that its fields mean what they are taken for:`,
    "    wire:",
    `      ${endpoint}:`,
    `        map: '${map.replaceAll("'", "''")}'`,
    ...(lacks.length === 0 ? [] : [`  It does not give ${list(lacks)}.`]),
    ...(unused.length === 0 ? [] : [`  It leaves out ${list(unused)}.`]),
  ];
}

const MOST_FIELDS = 12;

function explain(one: Probed): string[] {
  const { mismatch, advice, noMap } = one;
  return [
    ...(mismatch === undefined
      ? [`  ${one.failure?.message ?? ""}`]
      : [
          `  at       ${mismatch.path}`,
          `  expected ${mismatch.expected}`,
          `  received ${mismatch.received}`,
        ]),
    ...(advice === undefined ? [] : [`  change   ${advice}`]),
    ...(noMap === undefined ? [] : [`  no map   ${noMap}`]),
    ...suggestionLines(one),
  ];
}

/** The shape of `--json`. Keys are added to it, and never change what they mean. */
export function probeJson(
  reports: ReadonlyArray<{ readonly name: string; readonly report: ProbeReport }>,
): object {
  return {
    ok: reports.every(({ report }) => isRight(report)),
    aggregators: reports.map(({ name, report }) => ({
      name,
      prefix: report.elsewhere?.found ?? null,
      prefixes_tried: report.elsewhere?.tried ?? [],
      pollers: report.pollers,
      ...rulesJson(report),
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
              map: one.suggestion?.map ?? null,
              map_entries: one.suggestion?.entries ?? null,
              map_leaves_out: one.suggestion?.unused ?? [],
              map_lacks: one.suggestion?.lacks ?? [],
              no_map: one.noMap ?? null,
            }),
      })),
    })),
  };
}
