import jsonata from "jsonata";
import { describeMapError } from "../../aggregator/map-syntax.ts";
import type { Json, Result } from "../../domain/result.ts";
import { fail, succeed } from "../../domain/result.ts";

/** Turns a deployment's body into our default shape; the problem is one line for people. */
export type WireMap = (body: Json) => Promise<Result<Json, string>>;

/** Bounds of one evaluation. An expression that passes them is a mistake in the settings. */
const LIMITS = { timeout: 2_000, stack: 200, sequence: 1_000_000 };

/** Compiles `wire.<endpoint>.map` once. A text that cannot be read throws: config checks it first. */
export function compileWireMap(text: string): WireMap {
  const expression = jsonata(text, LIMITS);
  return async (body) => {
    try {
      const value: unknown = await expression.evaluate(body);
      return value === undefined ? fail("the map gave nothing") : plainJson(value);
    } catch (error) {
      return fail(`the map failed: ${describeMapError(error)}`);
    }
  };
}

/** JSONata marks its lists with properties of their own, and may give functions; JSON has neither. */
function plainJson(value: unknown): Result<Json, string> {
  try {
    return succeed(JSON.parse(JSON.stringify(value)) as Json);
  } catch {
    return fail("the map gave something that is not JSON");
  }
}
