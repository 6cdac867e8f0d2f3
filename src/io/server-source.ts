import type { Status } from "../core/status.ts";
import type { StoredFinding } from "./journal.ts";

/**
 * The faces: `/`, `/metrics`, `/healthz`, `/readyz`, `/api/v1/...`. All of them only read; there is no
 * writing call yet.
 */
export type ServerSource = {
  readonly version: string;
  readonly status: () => Status;
  readonly findings: (limit: number) => readonly StoredFinding[];
  readonly metrics: () => Promise<{ contentType: string; text: string }>;
  /** Empty where all is well; otherwise the reasons, one line each. */
  readonly unhealthy: () => readonly string[];
  readonly unready: () => readonly string[];
  /** A bug while a page was made. */
  readonly onError: (path: string, error: unknown) => void;
};
