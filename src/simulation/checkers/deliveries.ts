import type { Alert } from "../../domain/alert.ts";
import { formatInstant, MINUTE } from "../../domain/time.ts";
import { deliveryKey } from "../ledger/deliveries.ts";
import { on } from "./checker.ts";

/** The longest time until a channel that was down is tried again, and has caught up. */
const CATCHING_UP = 6 * MINUTE;

/** Once the channel is back, every firing and every resolved alert has been delivered at least once. */
export const deliveries = on("ended", "5 deliveries", ({ at, state }, { deliveries: seen }) => {
  const alerts = [...state.tables.alert.values()].filter((one) => one.state === "firing");
  const firing = new Map(alerts.map((one): [string, Alert] => [deliveryKey(one), one]));
  const owed = [...seen.owed].filter(([, since]) => at - since > CATCHING_UP);
  const wrong = [...firing].filter(([key, alert]) => {
    const told = seen.last.get(key);
    const isTold = told?.state === "firing" && told.firedAt === alert.firedAt;
    const isOld = at - (alert.firedAt ?? Infinity) > CATCHING_UP;
    return isOld && !isTold && !state.muted.has(alert.key) && !seen.forgotten.has(key);
  });
  const unended = [...seen.last].filter(([key, told]) => {
    const isOld = at - told.at > CATCHING_UP;
    return told.state === "firing" && isOld && !firing.has(key) && !seen.forgotten.has(key);
  });
  return [
    ...owed.map(([key, since]) => `${key} fired at ${formatInstant(since)}, and was not delivered`),
    ...wrong.map(([key, { firedAt = 0 }]) => {
      const told = seen.last.get(key);
      const word =
        told === undefined ? "nothing" : `${told.state} since ${formatInstant(told.firedAt)}`;
      return `${key} fires since ${formatInstant(firedAt)}, and the receiver got ${word}`;
    }),
    ...unended.map(([key]) => `${key} does not fire, and its end was not delivered`),
  ];
});
