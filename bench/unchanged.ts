import type { PollRequest } from "../src/io/aggregator/poll-runner.ts";
import { poolsPoller } from "../src/pollers/pools.ts";
import { compare, medianRatio, median, type Rounds } from "./measure.ts";
import { addressesOf, contenderOf, pollRequest, servePolls } from "./poll.ts";
import { grouped, type Row } from "./table.ts";

/**
 * A poll of which nothing has changed, by the same bytes and by 304, beside the same poll whose bodies
 * differ by white space, so that each is parsed, decoded and looked through.
 */
export async function benchUnchanged(
  pools: number,
  senders: number,
  rounds: Rounds,
): Promise<Row[]> {
  const server = await servePolls(pools);
  const listing = (baseUrl: string) => asPools(pollRequest(baseUrl, []));
  const many = (baseUrl: string) => pollRequest(baseUrl, addressesOf(senders));
  const bodyOf = async (path: string): Promise<number> =>
    (await (await fetch(`${server.baseUrl}/same${path}`)).text()).length;
  const listed = await bodyOf("/api/v1/pools/reservations");
  const [sender = ""] = addressesOf(1);
  const each = await bodyOf(`/api/v1/atomic-swap/history/current?sender=${sender}`);
  try {
    const rows: Row[] = [];
    for (const [how, path] of [
      ["same bytes", "/same"],
      ["304", "/tagged"],
    ] as const) {
      for (const [what, size, make, bytes] of [
        ["one listing", pools, listing, listed],
        ["many senders", senders, many, senders * each],
      ] as const) {
        const ours = make(server.baseUrl + path);
        const baseline = make(`${server.baseUrl}/changing`);
        const note = `bodies of ${grouped(how === "304" ? 0 : bytes)} B, baseline ${grouped(bytes)} B`;
        rows.push(await row(`unchanged: ${what}, ${how}`, size, note, ours, baseline, rounds));
      }
    }
    return rows;
  } finally {
    await server.close();
  }
}

type Asked = { readonly request: PollRequest; readonly close: () => void };

function asPools({ request, close }: Asked): Asked {
  return { request: { ...request, poller: poolsPoller }, close };
}

/** Compares the CPU time of two polls, of which each remembers its own. */
async function row(
  name: string,
  size: number,
  note: string,
  ours: Asked,
  baseline: Asked,
  rounds: Rounds,
): Promise<Row> {
  const one = contenderOf(ours);
  const other = contenderOf(baseline);
  try {
    // What is remembered has to be read once.
    await one.run();
    await other.run();
    await compare(rounds, { ours: one.run, baseline: other.run });
  } finally {
    one.close();
    other.close();
  }
  const [cpu, otherCpu] = [one.cpu.slice(-rounds.rounds), other.cpu.slice(-rounds.rounds)];
  const shown = (spent: readonly number[]): string => `${grouped(median(spent))} µs`;
  return {
    name,
    size,
    ours: shown(cpu),
    baseline: shown(otherCpu),
    ratio: medianRatio(cpu, otherCpu),
    note: `CPU a poll; ${note}`,
  };
}
