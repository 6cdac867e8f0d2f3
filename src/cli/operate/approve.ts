import { callText } from "../../core/act/shown.ts";
import { operatorCalls } from "../../io/api/operator-calls.ts";
import { list, object, type ValueOf } from "../../io/api/codec.ts";
import { proposalAnswer } from "../../io/api/status-rows.ts";
import { entityKey } from "../../domain/entity.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { formatInstant } from "../../domain/time.ts";
import { missingIn, refuse, type CliCommand, type CliContext } from "../context.ts";
import { plain } from "../table.ts";
import {
  askDaemon,
  commandAndPrint,
  OVERVIEW,
  writingOptions,
  type ClientOptions,
} from "./client.ts";

type ApproveOptions = ClientOptions & {
  readonly reason?: string;
  readonly digest?: string;
  readonly yes?: true;
};

type ProposalAnswer = ValueOf<typeof proposalAnswer>;

/** Of the overview, which may lack other fields in another version: that must not keep people from their proposals. */
const proposalsAnswer = object({ proposals: list(proposalAnswer) });

/** `aggwatch approve ID`: shows a proposal and approves exactly that, not one that has replaced it since. */
export const approveCommand: CliCommand<ApproveOptions> = {
  name: "approve",
  describe: (command) =>
    writingOptions(command)
      .description(operatorCalls.approve.summary)
      .argument("<proposal>", "its id, such as p1")
      .option("--digest <digest>", "approve what you have read elsewhere, by its digest")
      .option("--yes", "approve what it shows now, without being asked"),
  run: async (options, context, [id = ""]) => {
    const { reason } = options;
    const line = [...missingIn("approve", { "--reason": reason }), ...unaskable(options, context)];
    if (line.length > 0) return refuse(context, { line });
    const digest =
      options.digest === undefined
        ? await shownDigest(id, options, context)
        : succeed(options.digest);
    if (!digest.ok) return refuse(context, digest.problem);
    const body = { reason, digest: digest.value };
    return commandAndPrint(operatorCalls.approve, id, body, options, context);
  },
};

/** That there is no way to learn what is approved, as one problem; none if there is one. */
function unaskable({ digest, yes }: ApproveOptions, { ask }: CliContext): string[] {
  if (digest !== undefined || yes === true || ask !== undefined) return [];
  return [
    "standard input is not a terminal, so no question can be asked: --digest names what you have read, --yes approves what it shows now",
  ];
}

/**
 * Shows the proposal, and gives its digest if the person wants it. Undefined if there is none to show: the daemon
 * knows why, and says so.
 */
async function shownDigest(
  id: string,
  options: ApproveOptions,
  context: CliContext,
): Promise<Result<string | undefined, string>> {
  const overview = await askDaemon({ path: OVERVIEW }, proposalsAnswer, options, context);
  if (!overview.ok) return fail(plain(overview.problem));
  const proposal = overview.value.proposals.find((one) => one.id === id);
  if (proposal === undefined) return succeed(undefined);
  // Standard output is for the reply if a script reads it.
  const show = options.json === true ? context.complain : context.print;
  for (const line of proposalLines(proposal)) show(plain(line));
  if (options.yes === true) return succeed(proposal.digest);
  const answer = await context.ask?.("Approve this? yes/no: ");
  if (answer?.trim().toLowerCase() === "yes") return succeed(proposal.digest);
  return fail(notApproved(answer));
}

/** What is said if the answer to the last question was not `yes`. */
export function notApproved(answer = ""): string {
  const isMeant = /^\s*y/i.test(answer);
  return `nothing was approved${isMeant ? ": only the whole word yes approves" : ""}`;
}

/** All that a person must see before the approval. */
export function proposalLines(proposal: ProposalAnswer): string[] {
  const { id, digest, state, action, call, entity, rule, facts, irreversible } = proposal;
  return [
    `${id} (${digest}): ${state}, ${proposal.approvals.length} of ${proposal.approvalsNeeded} approvals, expires ${formatInstant(proposal.expiresAt)}`,
    ...(proposal.withdrawn === undefined ? [] : [`  withdrawn: ${proposal.withdrawn.why}`]),
    ...(proposal.because === undefined ? [] : [`  ${proposal.because}`]),
    `  ${action} of ${entityKey(entity)} by ${rule}${irreversible ? "; it cannot be undone" : ""}`,
    `  request: ${callText(call)}`,
    ...Object.entries(facts).map(([name, value]) => `  ${name}: ${String(value)}`),
    ...(proposal.unknownSince === undefined
      ? []
      : [`  nothing sure is known of it since ${formatInstant(proposal.unknownSince)}`]),
    ...objectionsTo(proposal).map((objection) => `  objects: ${objection}`),
  ];
}

/** What guards object to, apart from the missing approval. */
export function objectionsTo({ guards }: ProposalAnswer): string[] {
  return guards
    .filter(({ reason, objects }) => objects && reason !== "approval")
    .map(({ reason, detail }) => `${reason}: ${detail}`);
}
