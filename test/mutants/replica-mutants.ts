import type { CoreMutant } from "./mutant.ts";

/** Mistakes in what keeps two replicas from acting both. */
export const replicaMutants: readonly CoreMutant[] = [
  {
    name: "fence-not-checked",
    file: "src/io/journal/shared-journal.ts",
    find: "  if (found.epoch !== fence.epoch)\n",
    replace:
      "  if (found.epoch >= 0) return succeed(undefined);\n  if (found.epoch !== fence.epoch)\n",
    means: "Whoever commits to a shared journal has it written.",
    replicas: 2,
  },
  {
    name: "epoch-not-checked",
    file: "src/io/journal/shared-journal.ts",
    find: "if (found.epoch !== fence.epoch)",
    replace: "if (found.epoch < fence.epoch)",
    means:
      "A replica that has lost its lease commits all the same, for as long as the next owner has committed nothing.",
    replicas: 2,
  },
  {
    name: "owner-not-checked",
    file: "src/io/journal/shared-journal.ts",
    find: '  if (found.isOthers === true) return fail({ kind: "fenced", detail: othersText(found) });\n',
    replace: "",
    means:
      "After a take-over was lost, the replica that had made it commits beside the next one of the same epoch.",
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
    means: "An action leaves however little of the lease is left by then.",
    replicas: 2,
  },
  {
    name: "lease-sleeps-with-the-machine",
    file: "src/io/process/clock.ts",
    find: "passed += alsoAsleep - ran > ASLEEP ? alsoAsleep : ran;",
    replace: "passed += ran;",
    means: "A lease is taken to last on while the machine sleeps.",
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
    means: "A replica that takes over again goes on from what it read the first time.",
    replicas: 2,
  },
  {
    name: "effects-before-their-commit",
    file: "src/run/commit/group-commits.ts",
    find: "  queue.isUnderWay = true;\n",
    replace:
      "  queue.isUnderWay = true;\n  yield* settle(queue, group.splice(0), succeed(undefined));\n",
    means: "What a shared journal is asked to commit is done before it is committed.",
    replicas: 2,
  },
  {
    name: "hung-life-is-kept",
    file: "src/run/replica/replica.ts",
    find: "if (hang !== undefined && !isStopping) keeper.lose(hang, STANDS_BACK * lastsMs);",
    replace: "",
    means: "What hangs while the lease is renewed keeps all others from taking over.",
    replicas: 2,
  },
  {
    name: "hung-handover-is-waited-for",
    file: "src/run/replica/replica.ts",
    find: "await settleWithin(life === undefined ? [] : [life.stop()], lastsMs);",
    replace: "(await life?.stop(), true);",
    means: "A replica that is asked to end and hangs keeps its lease forever.",
    replicas: 2,
  },
  {
    name: "unanswered-lease",
    file: "src/run/replica/answered-leases.ts",
    find: "await Promise.race([asked, none]);",
    replace: "await asked;",
    means: "A replica whose question about the lease is never answered asks no more.",
    replicas: 2,
  },
  {
    name: "fenced-goes-on",
    file: "src/run/replica/replica.ts",
    find: "      ended?.abandon();\n",
    replace: "",
    means: "A replica that has lost its lease goes on deciding and telling.",
    replicas: 2,
  },
];
