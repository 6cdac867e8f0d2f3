import type { Feed, Viewer } from "./feed.ts";
import { GREETING, GZIP_HEADER, type Message } from "./message.ts";
import type { Topic } from "./messages.ts";

/** A stream of server-sent events to one viewer. */
type StreamOptions = {
  readonly feed: Pick<Feed, "join" | "leave">;
  readonly topics: ReadonlySet<Topic>;
  readonly lastId: string | undefined;
  readonly takesGzip: boolean;
  /** Ends the connection, whatever still waits to be sent. */
  readonly cut: () => void;
  /** The stream has ended, from either side. */
  readonly onEnd: () => void;
};

/** What may wait for a viewer that reads more slowly than it is sent. It is then cut, and may come back. */
const MOST_WAITING_BYTES = 1_000_000;

export function eventStream(options: StreamOptions): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { feed, topics, lastId, takesGzip, cut, onEnd } = options;
  let isOver = false;
  let viewer: Viewer | undefined;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    if (viewer !== undefined) feed.leave(viewer);
    onEnd();
  };
  const join = async (own: Viewer): Promise<void> => {
    await feed.join(own, lastId);
    if (isOver) feed.leave(own);
  };
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start: (controller) => {
        const send = ({ plain, packed }: Message): void => {
          if (isOver) return;
          controller.enqueue(takesGzip ? packed : plain);
          if ((controller.desiredSize ?? 0) >= 0) return;
          end();
          cut();
        };
        viewer = { topics, send };
        if (takesGzip) controller.enqueue(GZIP_HEADER);
        send(GREETING);
        // The stream is answered at once; it may take a moment until it is known what is to be sent first.
        join(viewer).catch((error: unknown) => {
          end();
          controller.error(error);
        });
      },
      cancel: end,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MOST_WAITING_BYTES }),
  );
}
