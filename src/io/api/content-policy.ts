/** What a browser may do with an answer of this server: not load, frame, run or send anything. */
export const NO_CONTENT_SOURCES = {
  defaultSrc: ["'none'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
};
