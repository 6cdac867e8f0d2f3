import type { ComponentChildren } from "preact";
import { html, type Markup } from "../element.ts";
import type { BacktestJson } from "../data/answers.ts";
import { Clock, EntityCell, Quiet } from "../parts/small.ts";
import { Table } from "../parts/table.ts";
import { counted, grouped } from "../text/words.ts";
import { Fold } from "./alert-groups.ts";

type Result = NonNullable<BacktestJson["result"]>;
type AlertRun = Result["alerts_more"][number];
type ActionRun = Result["actions_more"][number];

/** How a replay by today's rules differs from what was really found; or from what rules of the same names found. */
export function BacktestResult(properties: {
  readonly result: Result;
  readonly isTrial: boolean;
}): Markup {
  const { result, isTrial } = properties;
  const { counts, polls, gaps, problems, guards } = result;
  const moved = result.alerts_moved.flatMap((one) => [one.told, one.would]);
  return html`<${isTrial ? TrialVerdict : Verdict} counts=${counts}>
      <span
        >${counted(polls, "reading")}
        replayed${gaps.length > 0 && `, ${counted(gaps.length, "gap")} in the record`}.</span
      >
      ${problems.map((problem) => html`<span>Left out: ${problem}</span>`)}
    <//>
    ${alertRuns("would have fired, and did not", counts.alerts_more, result.alerts_more)}
    ${alertRuns("fired, and would not have", counts.alerts_fewer, result.alerts_fewer)}
    ${alertRuns("would have fired or ended at another time", counts.alerts_moved, moved)}
    ${actionRuns("would have been sent, and were not", counts.actions_more, result.actions_more)}
    ${actionRuns("were sent, and would not have been", counts.actions_fewer, result.actions_fewer)}
    ${
      guards.length > 0 &&
      html`<h3>Guards that objected first</h3>
        <${Table}
          heads=${["Guard", "Really", isTrial ? "By the tried rules" : "By today's rules"]}
          rows=${guards.map((one) => [one.reason, grouped(one.told), grouped(one.would)])}
        />`
    }
    ${
      hasMarks(result) &&
      html`<${Quiet}
        >* What really happened to it is not what would have happened, as an action changes what is
        read.<//
      >`
    }`;
}

type VerdictOf = {
  readonly counts: Result["counts"];
  readonly children?: ComponentChildren;
};

function Verdict({ counts, children }: VerdictOf): Markup {
  const { alerts_told: told, alerts_would: would, ...differences } = counts;
  const differing = Object.values(differences).reduce((sum, count) => sum + count, 0);
  return html`<div class=${`verdict ${differing === 0 ? "well" : "warning"}`}>
    <strong
      >${differing === 0 ? "Nothing would have been different" : "Things would have been different"}</strong
    >
    <span>${counted(told, "alert")} fired; by today's rules ${grouped(would)} would have.</span>
    ${children}
  </div>`;
}

function TrialVerdict({ counts, children }: VerdictOf): Markup {
  const { alerts_would: would, alerts_told: told, alerts_more: more, actions_more: sent } = counts;
  const said = would === 0 ? "It would not have fired" : `It would have fired ${times(would)}`;
  return html`<div class="verdict">
    <strong>${said}</strong>
    <span
      >${sent === 0 ? "Nothing" : counted(sent, "action")} would have been sent that was not.</span
    >
    ${
      told > 0 &&
      html`<span
        >What is in force by that name fired ${times(told)};
        ${would === more ? "none" : grouped(would - more)} of these it would have, too.</span
      >`
    }
    ${children}
  </div>`;
}

function times(count: number): string {
  return count === 1 ? "once" : `${grouped(count)} times`;
}

function hasMarks({ alerts_moved: moved, ...of }: Result): boolean {
  const runs = [of.alerts_more, of.alerts_fewer, of.actions_more, of.actions_fewer].flat();
  return (
    runs.some(({ counterfactual }) => counterfactual) ||
    moved.some(({ would }) => would.counterfactual)
  );
}

function alertRuns(title: string, count: number, runs: readonly AlertRun[]) {
  const heads = ["Fired", "Rule", "Entity", "Ended"];
  const cells = runs.map((run) => [
    html`<${Clock} at=${run.fired_at} />`,
    ruleText(run),
    html`<${EntityCell} entity=${run.entity} alias=${run.alias} />`,
    endOf(run),
  ]);
  return count > 0 && folded(`${counted(count, "alert")} ${title}`, heads, cells);
}

function endOf({ resolved_at: resolvedAt, lost_at: lostAt }: AlertRun) {
  if (resolvedAt !== null) return html`<${Clock} at=${resolvedAt} />`;
  if (lostAt === null) return "fires at the end";
  return html`<span>not known from <${Clock} at=${lostAt} /> on</span>`;
}

function actionRuns(title: string, count: number, runs: readonly ActionRun[]) {
  const heads = ["When", "Action", "Entity", "By", "State"];
  const cells = runs.map((run) => [
    html`<${Clock} at=${run.at} />`,
    run.action,
    html`<${EntityCell} entity=${run.entity} alias=${run.alias} />`,
    ruleText(run),
    run.state,
  ]);
  return count > 0 && folded(`${counted(count, "action")} ${title}`, heads, cells);
}

function ruleText({ rule, counterfactual }: AlertRun | ActionRun): string {
  return `${rule}${counterfactual ? " *" : ""}`;
}

function folded(summary: string, heads: readonly string[], rows: readonly unknown[]): Markup {
  return html`<${Fold} isOpen=${true} summary=${html`<b>${summary}</b>`}
    >${() => html`<div><${Table} heads=${heads} rows=${rows} /></div>`}<//
  >`;
}
