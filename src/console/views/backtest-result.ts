import type { ComponentChildren } from "preact";
import { html, type Markup } from "../element.ts";
import type { Backtest } from "../data/answers.ts";
import { Clock, EntityLink, Quiet } from "../parts/small.ts";
import { Table } from "../parts/table.ts";
import { counted, grouped } from "../text/words.ts";
import { Fold } from "./alert-groups.ts";

type Result = NonNullable<Backtest["result"]>;
type AlertRun = Result["alerts_more"][number];
type ActionRun = Result["actions_more"][number];

/** How a replay by today's rules differs from what was really found; or from what rules of the same names found. */
export function BacktestResult(properties: {
  readonly result: Result;
  readonly isTrial: boolean;
}): Markup {
  const { result, isTrial } = properties;
  const { counts, polls, gaps, problems, guards } = result;
  return html`<${isTrial ? TrialVerdict : Verdict} counts=${counts}>
      <span
        >${counted(polls, "reading")}
        replayed${gaps.length > 0 && `, ${counted(gaps.length, "gap")} in the record`}.</span
      >
      ${problems.map((problem) => html`<span>Left out: ${problem}</span>`)}
    <//>
    <${Runs}
      title="would have fired, and did not"
      count=${counts.alerts_more}
      runs=${result.alerts_more}
    />
    <${Runs}
      title="fired, and would not have"
      count=${counts.alerts_fewer}
      runs=${result.alerts_fewer}
    />
    <${Runs}
      title="would have fired or ended at another time"
      count=${counts.alerts_moved}
      runs=${result.alerts_moved.flatMap((one) => [one.told, one.would])}
    />
    <${Actions}
      title="would have been sent, and were not"
      count=${counts.actions_more}
      runs=${result.actions_more}
    />
    <${Actions}
      title="were sent, and would not have been"
      count=${counts.actions_fewer}
      runs=${result.actions_fewer}
    />
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

function Runs(properties: {
  readonly title: string;
  readonly count: number;
  readonly runs: readonly AlertRun[];
}): Markup | undefined {
  const { title, count, runs } = properties;
  if (count === 0) return undefined;
  return html`<${Fold} isOpen=${true} summary=${html`<b>${counted(count, "alert")} ${title}</b>`}
    >${() =>
      html`<div>
        <${Table}
          heads=${["Fired", "Rule", "Entity", "Ended"]}
          rows=${runs.map((run) => [
            html`<${Clock} at=${run.fired_at} />`,
            `${run.rule}${run.counterfactual ? " *" : ""}`,
            html`<${EntityLink} entity=${run.entity} alias=${run.alias} />`,
            run.resolved_at === null
              ? "fires at the end"
              : html`<${Clock} at=${run.resolved_at} />`,
          ])}
        />
      </div>`}<//
  >`;
}

function Actions(properties: {
  readonly title: string;
  readonly count: number;
  readonly runs: readonly ActionRun[];
}): Markup | undefined {
  const { title, count, runs } = properties;
  if (count === 0) return undefined;
  return html`<${Fold} isOpen=${true} summary=${html`<b>${counted(count, "action")} ${title}</b>`}
    >${() =>
      html`<div>
        <${Table}
          heads=${["When", "Action", "Entity", "By", "State"]}
          rows=${runs.map((run) => [
            html`<${Clock} at=${run.at} />`,
            run.action,
            html`<${EntityLink} entity=${run.entity} alias=${run.alias} />`,
            `${run.rule}${run.counterfactual ? " *" : ""}`,
            run.state,
          ])}
        />
      </div>`}<//
  >`;
}
