import type { CoreMutant } from "./mutant.ts";

/** Mistakes in what carries out decisions: the loop, the disk, the wire, the clock. */
export const ioMutants: readonly CoreMutant[] = [
  {
    name: "part-is-whole",
    file: "src/aggregator/decoding/partial-marks.ts",
    find: "if (status === 206) return",
    replace: "if (status === 207) return",
    means: "A reply with status 206 is taken for a whole one.",
  },
  {
    name: "key-twice-unseen",
    file: "src/io/http/json-body.ts",
    find: "return keys > 0 && keys !== countKeys(value);",
    replace: "return keys < 0 && keys !== countKeys(value);",
    means: "A key that an object has twice is not noticed.",
  },
  {
    name: "effects-before-commit",
    file: "src/run/commit/commits.ts",
    find: "      const record = take(at);\n",
    replace:
      "      const record = take(at);\n      yield* release([decided], succeed(undefined));\n",
    means: "Effects are carried out before the commit.",
  },
  {
    name: "acts-without-commit",
    file: "src/run/commit/release.ts",
    find: "if (isDurable || !isAction(effect)) perform(effect);",
    replace: "perform(effect);",
    means: "Actions are sent although the commit has failed.",
  },
  {
    name: "journal-heals-unnoticed",
    file: "src/run/commit/release.ts",
    find: "      isWritable = committed.ok;\n      pushFirst",
    replace: "      isWritable = committed.ok;\n      if (committed.ok) return;\n      pushFirst",
    means: "It is not reported that the journal can be written again.",
  },
  {
    name: "large-commit-by-half",
    file: "src/io/journal/large-commit.ts",
    find: "  if (isComplete(database)) toEnd(bringAllIn(database, rowWriter(database), partsOf(database)));\n  else ",
    replace:
      "  if (isComplete(database)) setVersion(database, versionOf(database) - COMPLETE);\n  ",
    means: "A large commit stays half in if its process dies while it is brought in.",
  },
  {
    name: "backlog-dropped",
    file: "src/run/commit/backlog.ts",
    find: "        changes = newestOf(taken.changes, changes);\n",
    replace: "",
    means: "What could not be written is never written.",
  },
  {
    name: "deleted-rows-stay",
    file: "src/io/journal/rows.ts",
    find: "if (value === null) remove.run(table, key);",
    replace: "if (value === null) return;",
    means: "Deleted rows come back with the next process.",
  },
  {
    name: "echo-not-redacted",
    file: "src/io/aggregator/decode-body.ts",
    find: "return redactor.redact(body) === body ? value : redactor.redactJson(value);",
    replace: "return value;",
    means: "Secrets that a listing repeats become names.",
  },
  {
    name: "cut-secret-shown",
    file: "src/io/redact/spellings.ts",
    find: "export const PIECE = 8;",
    replace: "export const PIECE = 12;",
    means: "Eight characters of a secret are shown.",
  },
  {
    name: "base64-of-secret-shown",
    file: "src/io/redact/spellings.ts",
    find: "[0, 1, 2].map((before) => insideBase64(bytes, before))",
    replace: "[0].map((before) => insideBase64(bytes, before))",
    means: "A secret in base64 is hidden only if it is at the beginning.",
  },
  {
    name: "mutation-sent-again",
    file: "src/io/aggregator/client.ts",
    find: "        return await actOnce(call, { signal: link.signal, outdated }, sender, parts);\n",
    replace: `        const reply = await actOnce(call, { signal: link.signal, outdated }, sender, parts);
        return reply.outcome === "in_doubt"
          ? await actOnce(call, { signal: link.signal, outdated }, sender, parts)
          : reply;
`,
    means: "An action without an answer is sent again.",
  },
  {
    name: "action-waits-for-ever",
    file: "src/io/aggregator/client.ts",
    find: "waitAtMostMs: ACTION_WAITS_AT_MOST_MS,",
    replace: "waitAtMostMs: ACTION_WAITS_AT_MOST_MS * 100,",
    means: "An action that waits for its turn is sent however late that is.",
  },
  {
    name: "wrong-path",
    file: "src/aggregator/endpoints/index.ts",
    find: 'path: "/api/v1/order/force/{orderId}",',
    replace: 'path: "/api/v1/order/{orderId}",',
    means: "A forced cancellation goes to the path of an ordinary one.",
  },
  {
    name: "wrong-target",
    file: "src/actions/enable-pair.ts",
    find: 'return { endpoint: "enablePair", args: { exchange, assetPair } };',
    replace: 'return { endpoint: "enableExchange", args: { exchange } };',
    means: "The whole exchange is enabled where a pair was meant.",
  },
  {
    name: "wrong-method-without-gate",
    file: "src/io/aggregator/request-sender.ts",
    find: '  if (problem !== undefined)\n    return fail({ reason: "internal", message: `refused: ${problem}`, neverSent: true });',
    replace:
      '  if (problem === "") throw new Error(problem);\n  if (purpose === "act") Object.assign(request, { method: "DELETE" });',
    means: "Every action leaves as a DELETE, and the last gate is gone.",
  },
  {
    name: "acts-around-the-proxy",
    file: "src/io/aggregator/request-sender.ts",
    find: "act: newSender({ ...limits, keepAlive: false }),",
    replace: "act: newSender({ ...limits, route: undefined, keepAlive: false }),",
    means: "Actions do not go the way of the readings.",
  },
  {
    name: "act-credential-on-reads",
    file: "src/io/aggregator/request-sender.ts",
    find: "prepare(request, base, credentials[purpose], purpose)",
    replace: "prepare(request, base, credentials.act, purpose)",
    means: "Readings carry the credential for acting.",
  },
  {
    name: "no-answer-is-a-refusal",
    file: "src/io/aggregator/act-outcome.ts",
    find: "return neverSent\n",
    replace: 'return neverSent || reason === "timeout"\n',
    means: "A time-out is taken for a refusal, as if nothing had been done.",
  },
  {
    name: "probe-dedupe-loses-one",
    file: "src/run/effects.ts",
    find: "      running.again = true;\n      return;\n",
    replace: "      return;\n",
    means: "A probe that is wanted while another runs is lost.",
    survives:
      "What was to be confirmed is asked for again when confirm_within has passed: it costs time, and nothing else. Tests of the effects hold it.",
  },
  {
    name: "probe-forgets-to-end",
    file: "src/run/effects.ts",
    find: "probing.delete(key);",
    replace: 'probing.delete("");',
    means: "A surface is probed once, and never again.",
  },
  {
    name: "backs-off-for-ever",
    file: "src/io/schedule/back-off.ts",
    find: "return Math.min(wanted, allowed);",
    replace: "return allowed < 0 ? 0 : wanted;",
    means: "After failures the polls become ever less frequent.",
  },
  {
    name: "poll-never-ends",
    file: "src/io/schedule/scheduler.ts",
    find: "      job.running = undefined;\n    });\n    return job.running;",
    replace: "      job.failures += 0;\n    });\n    return job.running;",
    means: "A poller polls once, and never again.",
  },
  {
    name: "clock-goes-back",
    file: "src/io/process/clock.ts",
    find: "if (ahead < -JUMP) now = wall;",
    replace: "if (ahead < -JUMP || ahead > JUMP) now = wall;",
    means: "The clock follows the wall clock back.",
  },
  {
    name: "gap-unnoticed",
    file: "src/run/loop.ts",
    find: "if (awayMs !== undefined && event",
    replace: "if (awayMs !== undefined && awayMs < 0 && event",
    means: "A process that stood still goes on as if nothing had been.",
  },
  {
    name: "stale-for-a-gap",
    file: "src/core/observe/poller-health.ts",
    find: "if (attendedMs(draft.state, since, draft.at) > poller.staleAfterMs)",
    replace: "if (draft.at - since > poller.staleAfterMs)",
    means: "A poller is stale for the time in which nothing could poll.",
  },
  {
    name: "sends-what-is-outdated",
    file: "src/run/effects.ts",
    find: "outdated: () => world.outdated(effect.askedAt, effect.aggregator),",
    replace: "outdated: () => undefined,",
    means: "An action leaves on a reading from before the process stood still.",
  },
  {
    name: "sleep-unseen",
    file: "src/io/process/gap.ts",
    find: "Math.max(wall() - seen.wall, steady() - seen.steady)",
    replace: "steady() - seen.steady",
    means: "A machine that slept does not notice it, as its steady clock stood still.",
  },
  {
    name: "probe-of-a-failure-is-well",
    file: "src/io/aggregator/poll-runner.ts",
    find: "return failedPart(surface.name, limits.startedAt, failed.problem);",
    replace:
      "return { surface: surface.name, askedAt: askedAt(), reading: { ok: true, complete: true, entities: [] } };",
    means: "A reading that failed is taken for an empty listing.",
    survives:
      "The checkers believe what the daemon says that it has read, and do not see replies. Tests of the poll runner hold it.",
  },
  {
    name: "unit-of-instants-ignored",
    file: "src/io/aggregator/decode-body.ts",
    find: "decode(\n    sound,\n    instants,\n  );",
    replace: "decode(\n    sound,\n  );",
    means: "Every deployment's times are read as milliseconds.",
  },
  {
    name: "case-of-words-matters",
    file: "src/pollers/status-words.ts",
    find: "return one === other || one.toLowerCase() === other.toLowerCase();",
    replace: "return one === other;",
    means: "A status in lower case is an unknown word.",
  },
];
