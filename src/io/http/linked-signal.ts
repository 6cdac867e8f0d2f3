/** A signal that follows others until it is unlinked from them. */
export type LinkedSignal = {
  readonly signal: AbortSignal;
  readonly abort: () => void;
  readonly unlink: () => void;
};

/**
 * Makes a signal that is aborted when one of the sources is, or by its own `abort`. Unlink it when its work has ended.
 *
 * It replaces AbortSignal.any, which on Node 24 keeps 0.2 to 1.3 KB for each call for as long as a source lives: our
 * sources live for months, and would fill the memory.
 */
export function linkSignals(...sources: readonly AbortSignal[]): LinkedSignal {
  const controller = new AbortController();
  const abort = () => controller.abort();
  for (const source of sources) {
    if (source.aborted) abort();
    else follow(source, abort);
  }
  return {
    signal: controller.signal,
    abort,
    unlink: () => {
      for (const source of sources) unfollow(source, abort);
    },
  };
}

/**
 * Links signals with `other`, which lives long. All that follow the same signal at the same time share one link.
 */
export function createSharedLinks(
  other: AbortSignal,
): (source: AbortSignal) => Omit<LinkedSignal, "abort"> {
  const links = new Map<AbortSignal, { readonly link: LinkedSignal; users: number }>();
  return (source) => {
    const shared = links.get(source) ?? { link: linkSignals(source, other), users: 0 };
    shared.users += 1;
    links.set(source, shared);
    return {
      signal: shared.link.signal,
      unlink: () => {
        shared.users -= 1;
        if (shared.users > 0) return;
        shared.link.unlink();
        links.delete(source);
      },
    };
  };
}

/**
 * Calls back when the source, which must not be aborted yet, is aborted; returns a function that ends this. Cheaper
 * than a listener of its own, and than a linked signal.
 */
export function onAbort(source: AbortSignal, abort: () => void): () => void {
  follow(source, abort);
  return () => unfollow(source, abort);
}

type Followers = { readonly all: Set<() => void>; readonly onAbort: () => void };

/**
 * The followers of a source, which sees them as one listener: adding a listener walks over all others, and a sweep has
 * hundreds of requests under way that follow the same source.
 */
const followersOf = new WeakMap<AbortSignal, Followers>();

function follow(source: AbortSignal, abort: () => void): void {
  const known = followersOf.get(source);
  if (known !== undefined) return void known.all.add(abort);
  const all = new Set([abort]);
  const onAbort = (): void => all.forEach((one) => one());
  followersOf.set(source, { all, onAbort });
  source.addEventListener("abort", onAbort);
}

function unfollow(source: AbortSignal, abort: () => void): void {
  const known = followersOf.get(source);
  if (known?.all.delete(abort) !== true || known.all.size > 0) return;
  source.removeEventListener("abort", known.onAbort);
  followersOf.delete(source);
}
