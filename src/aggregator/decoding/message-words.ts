/**
 * What a text beside data says of its request, in English or Chinese. A server may send megabytes of it, so each
 * expression takes time in proportion to the text, and what is longer than any message of a success is none.
 */

const LONGEST_MESSAGE = 1_000;

const SUCCESS = "ok|okay|success(?:ful(?:ly)?)?|succeed(?:ed|s)?";
const ONLY_SUCCESS = new RegExp(`^(?:${SUCCESS}|(?:操作|查询|请求)?成功)[\\s\\p{P}]*$`, "iu");
const SUBJECTS = "query|request|read|call|fetch|operation|list";
const VERBS = "was|is|processed|completed|executed|handled";
const SUCCESS_FIRST = new RegExp(
  `^["'[(\\s]*(?:(?:(?:${SUBJECTS}) (?:(?:${VERBS}) )?)?(?:${SUCCESS})(?![\\w/])|[^不未没无非否]{0,4}成功)`,
  "i",
);
const NO_FAILURE =
  /\b(?:no|0|zero|without(?: any)?) (?:errors?|failures?|failed|invalid|maintenance)\b|\b(?:errors?|failures?|failed)\W{1,3}(?:0|none|null)\b|(?:没有|无)(?:错误|异常|失败)|失败\W?0/gi;
/** A success that is counted, or whose value is that it is none: "Success: false", "succeeded 0 of 5". */
const NO_SUCCESS =
  /(?:\b(?:ok|success\w*|succeed\w*)|成功)(?: is |[^\p{L}\p{N}]{0,4})(?:(?:false|null|none|off|undefined|no|n|n\/a)(?![\p{L}\p{N}_])|0(?=%|\/| of\b|\W*$)|否)|\bsuccess rate|成功[率数]/iu;
const FAILURE_WORDS = new RegExp(
  "fail|error|exception|denied|refus|reject|invalid|illegal|unauthori|forbid|exceed|too many|limit (?:is |was )?(?:reached|hit)|over (?:the )?limit|(?:is|was|been|rate) limited|" +
    "time-?d? ?out|unavailable|maintenance|unable|cannot|could not|overload|unreachable|busy|partial|degraded|stale|incomplete|" +
    "missing|offline|suspend|banned|blocked|throttl|truncat|warning|queued|expired|upgrad|n't |not (?:valid|found|ready)|" +
    "locked|insufficient|hang up|econn|gateway|read-only|" +
    "\\b(?:err|but|closed|down|(?<!for )later|again|lost|reset|unsuccess\\w*)\\b|\\b(?:not|no|non|never|none|without|0|last)[ -](?:ok|succe)|" +
    "失败|失敗|错误|异常|超时|忙|限流|拒绝|不可用|维护|无效|但|稍后|频繁|升级|暂停|停止|无法|不能|断开|出错|有误|不正确|故障|中断|不足|未授权|限速|受限|禁止|非法|部分|后才|未能|[不未没有]成功",
  "i",
);
/** What a message of a success may name as well, such as a rate limit. "limit 50" repeats what the request asked for. */
const TOPICS = /limit(?!:? ?\d+\W*$)|internal|connection|限制/i;

/** Whether it says no more than that all went well. */
export function saysOnlySuccess(text: string): boolean {
  return text.length <= LONGEST_MESSAGE && ONLY_SUCCESS.test(text.trim());
}

/** Without what says that there was no failure. */
export function withoutDenials(text: string): string {
  return text.length <= LONGEST_MESSAGE ? text.replace(NO_FAILURE, "").trim() : text;
}

/** Whether it begins with a success, and takes nothing back. */
export function beginsWithSuccess(text: string): boolean {
  return SUCCESS_FIRST.test(text) && !tellsOfFailure(text);
}

/** Whether it tells of a failure, or of what may be one. */
export function tellsOfFailure(text: string): boolean {
  if (text.length > LONGEST_MESSAGE) return true;
  const rest = text.replace(NO_FAILURE, "");
  if (FAILURE_WORDS.test(rest) || NO_SUCCESS.test(rest)) return true;
  return TOPICS.test(rest) && !SUCCESS_FIRST.test(rest);
}
