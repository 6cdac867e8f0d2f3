import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { untilAborted } from "../context.ts";

/**
 * The library's transport ends with its input, and drops what it has not answered by then. This one answers first,
 * unless it is stopped or its output is closed.
 */
export class McpTransport extends StdioServerTransport {
  readonly #unanswered = new Set<unknown>();
  readonly #answered = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #unreadable: Promise<unknown>;
  readonly #signal: AbortSignal;
  #isEnding = false;

  constructor(input: Readable, output: Writable, signal: AbortSignal) {
    super(input, output);
    this.#signal = signal;
    this.#unreadable = once(output, "close").catch(() => undefined);
  }

  /** Its input has ended, and everything was answered. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  override async start(): Promise<void> {
    const deliver = this.onmessage;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the library has no other way
    this.onmessage = (message) => {
      if ("method" in message && "id" in message) this.#unanswered.add(message.id);
      deliver?.(message);
      if ("method" in message && message.method === "notifications/cancelled")
        this.#settle(message.params?.["requestId"]);
    };
    await super.start();
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    try {
      await super.send(message);
    } finally {
      if (!("method" in message)) this.#settle(message.id);
    }
  }

  override async close(): Promise<void> {
    this.#isEnding = true;
    this.#settle();
    await Promise.race([this.#answered.promise, this.#unreadable, untilAborted(this.#signal)]);
    await super.close();
    this.#ended.resolve();
  }

  #settle(id?: unknown): void {
    this.#unanswered.delete(id);
    if (this.#isEnding && this.#unanswered.size === 0) this.#answered.resolve();
  }
}
