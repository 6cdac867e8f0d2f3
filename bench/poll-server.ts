import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * An aggregator that answers at once, in a process of its own so that its work is not counted: one
 * active swap for whatever sender is asked for. It tells its parent the port, and ends with it.
 */
const server = createServer((request, response) => {
  const sender = new URL(request.url ?? "/", "http://loopback").searchParams.get("sender") ?? "";
  const lockOrder = {
    secretHash: `0x${sender.slice(2).padStart(64, "0")}`,
    asset: "ORN",
    amount: 10.5,
    expiration: 1_800_000_000_000,
    used: false,
    sourceNetworkCode: "BSC",
  };
  const swap = { sender, status: "ACTIVE", creationTime: 1_700_000_000_000, lockOrder };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify([swap]));
});

server.listen(0, "127.0.0.1", () => {
  process.send?.((server.address() as AddressInfo).port);
});
process.once("disconnect", () => {
  server.close();
  server.closeAllConnections();
});
