import { readEndpoints, type ReadEndpoint } from "../../../src/aggregator/endpoints/index.ts";
import type { Json } from "../../../src/domain/result.ts";
import { compileWireMap } from "../../../src/io/aggregator/decode-body.ts";
import { suggestMap } from "../../../src/io/probe/suggest-map.ts";

/** What a body is read as with the map that is suggested for it. */
export async function readAs(endpoint: ReadEndpoint, body: Json): Promise<unknown> {
  const { suggestion, noMap } = await suggestMap({ endpoint, instants: "milliseconds" }, body);
  if (suggestion === undefined) return { noMap };
  const made = await compileWireMap(suggestion.map)(body);
  const decoded = readEndpoints[endpoint].decode(made.ok ? made.value : undefined);
  return decoded.ok ? decoded.value : decoded.problem;
}
