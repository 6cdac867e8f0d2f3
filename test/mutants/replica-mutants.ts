import type { CoreMutant } from "./mutant.ts";

/** Mistakes in what keeps two replicas from acting both. */
export const replicaMutants: readonly CoreMutant[] = [
  {
    name: "fence-not-checked",
    file: "src/io/journal/shared-journal.ts",
    find: "  if (found.epoch !== fence.epoch)\n",
    replace:
      "  if (found.epoch >= 0) return succeed(undefined);\n  if (found.epoch !== fence.epoch)\n",
    means: "A shared journal accepts commits from any replica.",
    replicas: 2,
  },
  {
    name: "epoch-not-checked",
    file: "src/io/journal/shared-journal.ts",
    find: "if (found.epoch !== fence.epoch)",
    replace: "if (found.epoch < fence.epoch)",
    means:
      "A replica that has lost its lease still commits, as long as the next owner has committed nothing.",
    replicas: 2,
  },
  {
    name: "owner-not-checked",
    file: "src/io/journal/shared-journal.ts",
    find: '  if (found.isOthers === true) return fail({ kind: "fenced", detail: othersText(found) });\n',
    replace: "",
    means:
      "After a lost take-over, the replica that made it commits alongside the next owner of the same epoch.",
    replicas: 3,
  },
  {
    name: "lost-commits-unnoticed",
    file: "src/io/journal/shared-journal.ts",
    find: "const isLater = found.epoch > known.epoch;",
    replace: "const isLater = found.epoch >= 0 || found.epoch > known.epoch;",
    means: "An owner whose commits the database has lost goes on as if it had them.",
    replicas: 2,
  },
  {
    name: "lease-not-checked-before-sending",
    file: "src/run/outdated.ts",
    find: "const problem = lease && leaseProblem(lease);",
    replace: 'const problem = lease?.neededMs === -1 ? "never" : undefined;',
    means: "An action is sent however little of the lease is left.",
    replicas: 2,
  },
  {
    name: "lease-sleeps-with-the-machine",
    file: "src/io/process/clock.ts",
    find: "passed += alsoAsleep - ran > ASLEEP ? alsoAsleep : ran;",
    replace: "passed += ran;",
    means: "A lease does not run down while the machine sleeps.",
    replicas: 2,
  },
  {
    name: "commit-assumed",
    file: "src/run/commit/unit-journal.ts",
    find: 'if (kind !== "unknown") return refuse(kind, detail);',
    replace:
      'if (kind === "unknown") { after = last; return succeed(undefined); }\n    if (kind !== "fenced" || detail === "") return refuse(kind, detail);',
    means: "A commit of unknown outcome is taken for one that succeeded.",
    replicas: 2,
  },
  {
    name: "take-over-without-reading",
    file: "src/run/replica/replica.ts",
    find: "const loaded = await journal.load(lease.epoch);",
    replace:
      "const read = await (world.first ??= journal.load(lease.epoch));\n    const loaded = read.ok ? { ...read, value: { ...read.value, stamp: { ...read.value.stamp, epoch: lease.epoch } } } : read;",
    means: "A replica that takes over again continues from the rows that it read the first time.",
    replicas: 2,
  },
  {
    name: "effects-before-their-commit",
    file: "src/run/commit/group-commits.ts",
    find: "  queue.isUnderWay = true;\n",
    replace:
      "  queue.isUnderWay = true;\n  yield* settle(queue, group.splice(0), succeed(undefined));\n",
    means: "With a shared journal, effects are carried out before their commit.",
    replicas: 2,
  },
  {
    name: "hung-life-is-kept",
    file: "src/run/replica/replica.ts",
    find: "if (hang !== undefined && !isStopping) keeper.lose(hang, STANDS_BACK * lastsMs);",
    replace: "",
    means: "A replica that hangs but renews its lease keeps all others from taking over.",
    replicas: 2,
  },
  {
    name: "hung-handover-is-waited-for",
    file: "src/run/replica/replica.ts",
    find: "await settleWithin(ending === undefined ? [] : [ending.stop()], lastsMs);",
    replace: "(await ending?.stop(), true);",
    means: "A replica that is asked to end and hangs keeps its lease forever.",
    replicas: 2,
  },
  {
    name: "unanswered-lease",
    file: "src/run/replica/answered-leases.ts",
    find: "await Promise.race([asked, none]);",
    replace: "await asked;",
    means: "A replica whose request for the lease is never answered makes no other.",
    replicas: 2,
  },
  {
    name: "fenced-goes-on",
    file: "src/run/replica/replica.ts",
    find: "      ended?.abandon();\n",
    replace: "",
    means: "A replica that has lost its lease goes on deciding and notifying.",
    replicas: 2,
  },
];
