import { expect, it } from "vitest";
import { shownProperties } from "../../../src/console/text/shown.ts";

it("shows what would mislead a reader in all that is read, or heard, of an element", () => {
  const name = "A\u202EB";
  const given = { title: name, "aria-label": `of ${name}`, "aria-valuetext": name };
  expect(shownProperties({ ...given, placeholder: name, value: name })).toEqual({
    title: "A\uFFFDB",
    "aria-label": "of A\uFFFDB",
    "aria-valuetext": "A\uFFFDB",
    placeholder: "A\uFFFDB",
    // What is sent again must be what it was.
    value: name,
  });
});

it("leaves alone what has no such text", () => {
  const given = { title: undefined, hidden: true, tabindex: "0" };
  expect(shownProperties(given)).toBe(given);
});
