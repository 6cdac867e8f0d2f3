import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { startAggregator } from "./aggregator.ts";
import { makeHome, startDaemon, type LogLine } from "./daemon.ts";
import { ACT_KEY, QUICK_RULES, quickConfig } from "./quick.ts";

const lineOf = (name: string, scope: string): string => {
  const sha256 = createHash("sha256").update(`${name}s-token`).digest("hex");
  return `- { name: ${name}, token_sha256: "${sha256}", scopes: [${scope}] }\n`;
};

test("a token that was revoked beside a broken rule is said to be valid until that is mended", async (context) => {
  const aggregator = await startAggregator(context);
  const config = quickConfig({ url: aggregator.url, mode: "shadow" });
  const home = makeHome(context, `${config}server: { tokens_file: tokens.yaml }\n`, QUICK_RULES);
  const tokens = join(dirname(home.config), "tokens.yaml");
  const rules = join(home.rules, "rules.yaml");
  const ofAlice = lineOf("alice", "operate");
  writeFileSync(tokens, ofAlice + lineOf("bob", "operate") + lineOf("carol", "operate"));
  const daemon = await startDaemon(context, home, ACT_KEY);
  const statusOf = async (name: string): Promise<number> => {
    const headers = { authorization: `Bearer ${name}s-token` };
    return (await fetch(`${daemon.url}/api/v1/token`, { headers })).status;
  };
  const failed = async (which: RegExp): Promise<LogLine> =>
    await daemon.line(
      ({ msg, problems }) =>
        String(msg).startsWith("reload failed") && which.test(String(problems)),
    );
  writeFileSync(rules, QUICK_RULES.replace("poller.up", "poller.upp"));
  const broken = await failed(/upp/);
  expect(String(broken["problems"])).not.toContain("valid");

  writeFileSync(tokens, ofAlice + lineOf("carol", "read"));
  const { problems } = await failed(/valid/);
  const still = `revoked and still valid until a reload succeeds: tokens of bob, carol (${tokens})`;
  expect(problems).toEqual([still, ...(broken["problems"] as string[])]);
  expect((await daemon.status()).notices.join()).toMatch(
    /failed, .* run on: revoked and still valid .* tokens of bob, carol .*; .*rules\.yaml:\d+:\d+: error: .*upp/,
  );
  expect([await statusOf("bob"), await statusOf("alice")]).toEqual([200, 200]);

  writeFileSync(tokens, "- nonsense");
  const unknown = await failed(/the tokens file/);
  expect((unknown["problems"] as string[])[0]).toBe(
    `still valid until a reload succeeds: all tokens of before, as the tokens file ${tokens} has a problem`,
  );
  writeFileSync(tokens, ofAlice);
  writeFileSync(rules, QUICK_RULES);
  await daemon.line(({ msg }) => msg === "reloaded");
  expect([await statusOf("bob"), await statusOf("alice")]).toEqual([401, 200]);
});
