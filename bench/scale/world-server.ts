import { serveParent } from "../loopback.ts";

/**
 * The aggregator of a large deployment, in a process of its own so that its work is not counted: so many active swaps of
 * 890 bytes for whatever sender is asked for, so many pools, and so many disabled pairs on a hundred exchanges. It always
 * says the same. It tells its parent the port, and ends with it.
 */
const [swaps = 10, pools = 20_000, pairs = 10_000] = process.argv.slice(2).map(Number);
const EXCHANGES = 100;
const DAY = 86_400_000;
const from = Date.now();

const names = Array.from({ length: EXCHANGES }, (_, index) => `EXCHANGE${index}`);
const bodies = new Map<string, string>([
  ["exchange/list", JSON.stringify(names)],
  ["exchange/disabled", JSON.stringify({ exchanges: [], pairs: disabledPairs() })],
  ["pools/reservations", JSON.stringify(Array.from({ length: pools }, (_, index) => pool(index)))],
]);

function disabledPairs(): unknown[] {
  return Array.from({ length: pairs }, (_, index) => ({
    exchange: names[index % EXCHANGES],
    assetPair: `A${index}-USDT`,
  }));
}

function pool(index: number): unknown {
  return { factory: "OrionV2", pair: `T${index}-USDT`, a: 1_000.5 + index, p: 1_470.2 + index };
}

/** With what no poller reads, as replies have it. */
function swap(sender: string, index: number): unknown {
  const hash = `0x${sender.slice(2)}${String(index).padStart(64 - sender.length + 2, "0")}`;
  const order = (asset: string, amount: number) => ({
    secretHash: hash,
    user: sender,
    sender: `0x${"ab".repeat(20)}`,
    asset,
    amount,
    expiration: from + DAY,
    used: false,
    sourceNetworkCode: asset,
    targetNetworkCode: asset === "ETH" ? "BSC" : "ETH",
    lockTransactionHash: `0x${"cd".repeat(32)}`,
  });
  return {
    sender,
    status: "ACTIVE",
    creationTime: from,
    lockOrder: order("ETH", 1.5),
    redeemOrder: order("BNB", 8),
  };
}

await serveParent((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://loopback");
  const sender = searchParams.get("sender") ?? "";
  const key = sender === "" ? pathname.replace("/api/v1/", "") : sender;
  let body = bodies.get(key);
  if (body === undefined && sender !== "") {
    body = JSON.stringify(Array.from({ length: swaps }, (_, index) => swap(sender, index)));
    bodies.set(key, body);
  }
  response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
  response.end(body);
});
