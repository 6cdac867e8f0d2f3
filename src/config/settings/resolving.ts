import type { Result } from "../../domain/result.ts";
import type { AggregatorText } from "./aggregator-schema.ts";
import type { ShapeProblem } from "../yaml/check-shape.ts";
import type { Environment } from "./environment.ts";
import type { YamlPath } from "../yaml/yaml-source.ts";

/** What resolving the aggregators works on, and where it reports problems. */
export type Resolving = {
  readonly texts: readonly AggregatorText[];
  /** Problems that are known already, so that no other follows from them. */
  readonly known: readonly ShapeProblem[];
  readonly report: (problem: ShapeProblem) => void;
  readonly pathFrom: (path: YamlPath, value: string) => string;
  readonly env: Environment;
  readonly readText: (path: string) => Result<string, string>;
};
