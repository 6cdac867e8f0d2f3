import { serveParent } from "./loopback.ts";

/**
 * An aggregator that answers at once, in a process of its own so that its work is not counted: one
 * active swap for whatever sender is asked for, and so many pools as its argument says. Below
 * `/changing` no body is as the one before, though it says the same; below `/tagged` each has an
 * `ETag`. It tells its parent the port, and ends with it.
 */
const pools = Array.from({ length: Number(process.argv[2] ?? 1) }, (_, index) => ({
  factory: "OrionV2",
  pair: `T${index}-USDT`,
  a: 1_000.5 + index,
  p: 1_470.2 + index,
  indicativePrice: 1.4695,
}));
const POOLS = JSON.stringify(pools);
const ETAG = '"always-the-same"';

function swapsOf(sender: string): string {
  const lockOrder = {
    secretHash: `0x${sender.slice(2).padStart(64, "0")}`,
    asset: "ORN",
    amount: 10.5,
    expiration: 1_800_000_000_000,
    used: false,
    sourceNetworkCode: "BSC",
  };
  return JSON.stringify([{ sender, status: "ACTIVE", creationTime: 1_700_000_000_000, lockOrder }]);
}

let answered = 0;

await serveParent((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://loopback");
  const isTagged = pathname.startsWith("/tagged/");
  if (isTagged && request.headers["if-none-match"] === ETAG) {
    response.writeHead(304, { etag: ETAG }).end();
    return;
  }
  answered += 1;
  const isPools = pathname.endsWith("/pools/reservations");
  const body = isPools ? POOLS : swapsOf(searchParams.get("sender") ?? "");
  // White space at the end changes the bytes, and nothing else.
  const end = pathname.startsWith("/changing/") ? " ".repeat(1 + (answered % 2)) : "";
  response.writeHead(200, {
    "content-type": "application/json",
    ...(isTagged ? { etag: ETAG } : {}),
  });
  response.end(body + end);
});
