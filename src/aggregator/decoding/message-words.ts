/**
 * What a text beside data says of its request, in English or Chinese. A server may send megabytes of it, so each
 * expression takes time in proportion to the text, and what is longer than any message of a success is none.
 */

const LONGEST_MESSAGE = 1_000;

const ONLY_SUCCESS = /^(?:ok|success[a-z]*|succeed[a-z]*)[\s\p{P}]*$/iu;
const SUCCESS_WORDS = /\b(?:ok|okay|success\w*|succeed\w*)\b|成功/i;
const SUCCESS_FIRST =
  /^["'[(\s]*(?:(?:(?:query|request|read|call|fetch|operation|list) )?(?:ok|okay|success\w*|succeed\w*)\b|[^不未没]{0,4}成功)/i;
const NO_FAILURE = /\b(?:no|0|zero|without(?: any)?) (?:errors?|failures?)\b/gi;
const FAILURE_WORDS = new RegExp(
  "fail|error|exception|denied|refus|reject|invalid|illegal|unauthori|forbid|exceed|too many|limit (?:is |was )?(?:reached|hit)|" +
    "time-?d? ?out|unavailable|maintenance|unable|cannot|could not|overload|unreachable|busy|partial|degraded|" +
    "\\b(?:err|but|down|(?<!for )later|again|lost|reset|unsuccess\\w*)\\b|\\b(?:not|no|never|without|0|last) (?:ok|succe)|" +
    "\\b(?:ok|success\\w*)[^\\w:=]*[:=]\\W*(?:(?:false|null)\\b|(?:no|0)(?:\\W*$|\\W*[;,.]))|" +
    "失败|错误|异常|超时|繁忙|限流|拒绝|不可用|维护|无效|但|[不未没]成功",
  "i",
);
/** What a message of a success may name as well, such as a rate limit. A limit of so many is what was asked for. */
const TOPICS = /limit(?!:? ?\d+\W*$)|internal|connection|限制/i;

/** Whether it says no more than that all went well, or nothing. */
export function saysOnlySuccess(text: string): boolean {
  return text.length <= LONGEST_MESSAGE && ONLY_SUCCESS.test(text.trim());
}

/** Without what says that there was no failure. */
export function withoutDenials(text: string): string {
  return text.length <= LONGEST_MESSAGE ? text.replace(NO_FAILURE, "").trim() : text;
}

/** Whether it names a success, maybe beside other things. */
export function namesSuccess(text: string): boolean {
  return text.length <= LONGEST_MESSAGE && SUCCESS_WORDS.test(text);
}

/** Whether it tells of a failure, or of what may be one. */
export function tellsOfFailure(text: string): boolean {
  if (text.length > LONGEST_MESSAGE) return true;
  const rest = text.replace(NO_FAILURE, "");
  return FAILURE_WORDS.test(rest) || (TOPICS.test(rest) && !SUCCESS_FIRST.test(rest));
}
