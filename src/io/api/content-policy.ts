/** The policy of an answer: the browser may not load, frame, run or send anything. */
export const NO_CONTENT_SOURCES = {
  defaultSrc: ["'none'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
};
