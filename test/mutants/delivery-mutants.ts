import type { CoreMutant } from "./mutant.ts";

/** What people are told. */
export const deliveryMutants: readonly CoreMutant[] = [
  {
    name: "notifies-around-the-proxy",
    file: "src/run/channel-senders.ts",
    find: "createSender({ ...NOTIFY_SENDER, route });",
    replace: "createSender(NOTIFY_SENDER);",
    means: "Notifications do not go through their channel's proxy.",
  },
  {
    name: "failure-is-a-delivery",
    file: "src/core/tell/dispatch.ts",
    find: '    case "failed":\n    case "denied":\n',
    replace:
      '    case "failed":\n      return settleDelivered(draft, state, batch, delivery);\n    case "denied":\n',
    means: "A notification that a channel did not accept counts as delivered.",
  },
  {
    name: "end-not-told",
    file: "src/core/tell/notify.ts",
    find: 'if (last?.type !== "alert" || last.state === "resolved") continue;',
    replace:
      'if (last?.type !== "alert" || last.state === "resolved" || row?.waiting === undefined) continue;',
    means: "The end of an alert is not sent to channels that know its beginning.",
  },
  {
    name: "outbox-not-taken-up",
    file: "src/core/tell/outbox.ts",
    find: "    if (row.waiting !== undefined) waiting.push([row.waiting, row, key]);\n",
    replace: "",
    means: "After a restart, waiting notifications are never sent.",
  },
  {
    name: "newer-news-dropped",
    file: "src/core/tell/dispatch.ts",
    find: "if (waiting === undefined || waiting.number === item.number) return dequeue(draft, key);",
    replace: "if (item.number !== undefined) return dequeue(draft, key);",
    means: "A notification is lost if an older one of the same alert is being sent.",
  },
];
