import { modeOf, object, pass, type Guard } from "./guard.ts";

export const approval: Guard = {
  objectsIf:
    "the mode is `propose`, and not enough people have approved the proposal, or what it shows has changed",
  ask: (context) => {
    const mode = modeOf(context);
    if (mode !== "propose") return pass(() => `mode is ${mode}`, "event");
    const proposal = context.state.tables.proposal.get(context.alert.key);
    if (proposal === undefined || proposal.alertStartedAt !== context.alert.startedAt) {
      return object(() => "waits for a person to approve it", "event");
    }
    const { id, digest, denial, approvals, expiresAt, withdrawn } = proposal;
    if (withdrawn !== undefined) {
      return object(() => `${id} (${digest}) was withdrawn: ${withdrawn.why}`, "event");
    }
    if (denial !== undefined) {
      return object(() => `denied by ${denial.by}: ${denial.reason}`, "event");
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
