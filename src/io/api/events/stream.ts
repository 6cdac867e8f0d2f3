import type { Feed, Viewer } from "./feed.ts";
import { GREETING, GZIP_HEADER, type Message } from "./message.ts";
import type { Topic } from "./messages.ts";

/** A stream of server-sent events to one viewer. */
type StreamOptions = {
  readonly feed: Pick<Feed, "join" | "leave">;
  readonly topics: ReadonlySet<Topic>;
  readonly lastId: string | undefined;
  readonly takesGzip: boolean;
  /** Ends the connection, whatever still waits to be sent: the viewer may come back. */
  readonly cut: () => void;
  /** Called when the stream has ended, from either side. */
  readonly onEnd: () => void;
};

/**
 * The most that waits for a viewer that reads too slowly, besides what it had missed when it came. It is then cut off,
 * and may come back.
 */
const MOST_WAITING_BYTES = 1_000_000;

export function eventStream(options: StreamOptions): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { feed, topics, lastId, takesGzip, cut, onEnd } = options;
  let isOver = false;
  let viewer: Viewer | undefined;
  let hasJoined = false;
  let missedBytes = 0;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    if (viewer !== undefined) feed.leave(viewer);
    onEnd();
  };
  const cutOff = (): void => {
    end();
    cut();
  };
  const join = async (own: Viewer): Promise<void> => {
    await feed.join(own, lastId);
    hasJoined = true;
    if (isOver) feed.leave(own);
  };
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start: (controller) => {
        const send = ({ plain, packed }: Message): void => {
          if (isOver) return;
          const sent = takesGzip ? packed : plain;
          controller.enqueue(sent);
          const spare = controller.desiredSize ?? 0;
          if (!hasJoined) missedBytes += sent.length;
          else if (spare >= 0) missedBytes = 0;
          if (spare + missedBytes >= 0) return;
          cutOff();
        };
        viewer = { topics, send, cut: cutOff };
        if (takesGzip) controller.enqueue(GZIP_HEADER);
        send(GREETING);
        // The reply begins at once; it may take a moment until the first messages are known.
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
