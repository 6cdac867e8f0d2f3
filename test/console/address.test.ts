import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filtered, hashOf, viewOf } from "../../src/console/address.ts";

describe("the address of a view", () => {
  it("holds path and filters, whatever characters are in them", () => {
    const word = fc.string({ unit: "binary", minLength: 1 }).filter((text) => text.isWellFormed());
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), fc.dictionary(word, word), (path, filters) => {
        expect(viewOf(hashOf(path, filters))).toEqual({ path, filters: { ...filters } });
      }),
    );
  });

  it("is the same for the same filters, in whatever order, and without those that are empty", () => {
    expect(hashOf(["alerts"], { state: "firing", alertname: "A", text: "" })).toBe(
      hashOf(["alerts"], { alertname: "A", state: "firing" }),
    );
    const view = viewOf("#/entities?kind=pair&text=usdt");
    expect(filtered(view, { text: "" })).toBe("#/entities?kind=pair");
  });

  it("is the overview with a proposal, for the links in notifications", () => {
    expect(viewOf("#p12")).toEqual({ path: [], filters: { proposal: "p12" } });
    expect(viewOf("")).toEqual({ path: [], filters: {} });
  });

  it("takes a part that is not encoded as it should be as it is", () => {
    expect(viewOf("#/entity/100%")).toEqual({ path: ["entity", "100%"], filters: {} });
  });
});
