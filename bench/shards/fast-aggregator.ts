import { serveParent } from "../loopback.ts";

/**
 * The aggregator of a million senders, in a process of its own so that its work is not counted: every tenth sender has an
 * active swap, and nothing else is listed. It tells its parent the port, answers each message with how many requests
 * about senders it has had, and ends with it.
 */
const EVERY = 10n;
const from = Date.now();
const OTHERS: Readonly<Record<string, string>> = {
  "/api/v1/exchange/list": '["ONE"]',
  "/api/v1/exchange/disabled": '{"exchanges":[],"pairs":[]}',
};

function swapsOf(sender: string): string {
  if (BigInt(sender) % EVERY !== 0n) return "[]";
  const hash = `0x${sender.slice(2).padStart(64, "0")}`;
  const order = (asset: string, amount: number) => ({
    secretHash: hash,
    user: sender,
    sender: `0x${"ab".repeat(20)}`,
    asset,
    amount,
    expiration: from + 86_400_000,
    used: false,
    sourceNetworkCode: asset,
    targetNetworkCode: asset === "ETH" ? "BSC" : "ETH",
    lockTransactionHash: `0x${"cd".repeat(32)}`,
  });
  const swap = { sender, status: "ACTIVE", creationTime: from, lockOrder: order("ETH", 1.5) };
  return JSON.stringify([{ ...swap, redeemOrder: order("BNB", 8) }]);
}

let asked = 0;
await serveParent((request, response) => {
  const url = request.url ?? "";
  const at = url.indexOf("sender=");
  const sender = at === -1 ? undefined : (/^0x[0-9a-f]+/.exec(url.slice(at + 7))?.[0] ?? "0x1");
  if (sender !== undefined) asked += 1;
  response.setHeader("content-type", "application/json");
  response.end(sender === undefined ? (OTHERS[url] ?? "[]") : swapsOf(sender));
});

process.on("message", () => process.send?.(asked));
