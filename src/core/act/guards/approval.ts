import { modeOf, object, pass, type Guard } from "./guard.ts";

export const approval: Guard = {
  objectsIf:
    "the proposal was denied; or the mode is `propose`, and not enough people have approved it, or what it shows has changed",
  isKeptCurrent: true,
  isIntended: true,
  ask: (context) => {
    const { alert, state } = context;
    const known = state.tables.proposal.get(alert.key);
    const proposal = known?.alertStartedAt === alert.startedAt ? known : undefined;
    const denial = proposal?.denial;
    // Whatever the mode is by now: a denial of another action was withdrawn before this is asked.
    if (denial !== undefined) {
      return object(() => `denied by ${denial.by}: ${denial.reason}`, "event");
    }
    const mode = modeOf(context);
    if (mode !== "propose") return pass(() => `mode is ${mode}`, "event");
    if (proposal === undefined) return object(() => "waits for a person to approve it", "event");
    const { id, digest, approvals, expiresAt, withdrawn } = proposal;
    if (withdrawn !== undefined) {
      return object(() => `${id} (${digest}) was withdrawn: ${withdrawn.why}`, "event");
    }
    if (expiresAt <= context.at) return object(() => `proposal ${id} has expired`, "event");
    const missing = context.act.approvals - approvals.length;
    if (missing <= 0) {
      return pass(
        () => `${id} (${digest}) was approved by ${approvals.map(({ by }) => by).join(", ")}`,
        () => expiresAt,
      );
    }
    const who = missing === 1 ? "a person" : `${missing} persons`;
    return object(() => `proposal ${id} (${digest}) waits for ${who} to approve it`, "event");
  },
};
