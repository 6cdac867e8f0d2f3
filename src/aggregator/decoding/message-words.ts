/**
 * What a text beside data says of its request, in English or Chinese. A server may send megabytes of it, so each
 * expression takes time in proportion to the text, and what is longer than any message of a success is none.
 */

const LONGEST_MESSAGE = 1_000;

const SUCCESS = "ok|okay|success(?:ful(?:ly)?)?|succeed(?:ed|s)?";
/** Not brackets, between which a value may be missing, nor a question. */
const PUNCTUATION = "(?:\\s|(?![\\[\\]{}?？])\\p{P})*$";
const ONLY_SUCCESS = new RegExp(`^(?:${SUCCESS}|(?:操作|查询|请求)?成功)${PUNCTUATION}`, "iu");
const ONLY_PUNCTUATION = new RegExp(`^${PUNCTUATION}`, "u");
const SUCCESS_FIRST = new RegExp(`^\\W*(?:${SUCCESS})(?![\\w/])|^[^不未没无非否]{0,4}成功`, "i");
const ANY_SUCCESS = new RegExp(`(?<![\\w])(?:${SUCCESS})(?![\\w/])|成功`, "i");
const NO_FAILURE =
  /\b(?:no|0|zero|without(?: any)?) (?:errors?|failures?|failed|invalid|maintenance)(?: scheduled)?\b|\b(?:errors?|failures?|failed)\W{1,3}(?:0|none|null)\b|(?:没有|无)(?:错误|异常|失败)|失败\W?0/gi;
const ENTRIES =
  "rows?|entr(?:y|ies)|items?|records?|results?|pairs?|exchanges?|orders?|swaps?|pools?|assets?";
const IS_SO = "(?: (?:is|are|was|were))?(?: currently)? (?:disabled|found)";
/** That nothing came. A count of what did would contradict a listing of nothing, and so would "all disabled". */
const NOTHING =
  `(?:(?:no|0) (?:disabled )?(?:(?:${ENTRIES})(?:${IS_SO})?|disabled)|no (?:data|content|changes)(?:${IS_SO})?(?! ?[\\p{L}\\p{N}_])|` +
  `(?:nothing|none)${IS_SO}|all (?:the )?(?:(?:${ENTRIES}) )?(?:are |were )?enabled|total:? 0)`;
/** The same, if nothing is said of it: the "no" of "success; no exchanges reachable" is one to the success. */
const SAYS_NOTHING = new RegExp(`\\b${NOTHING}(?![ -]?[\\p{L}\\p{N}_])`, "giu");
/** All that a message of a success may say: what went well, that nothing came, and what the limits are. */
const HARMLESS = new RegExp(
  `(?<![\\p{L}\\p{N}_])(?:${NOTHING}|(?:disabled )?(?:${ENTRIES})|${SUCCESS}|all(?! (?:the )?disabled)|and|the|was|were|is|data|response|` +
    "query|requests?|read|call|fetch|operation|list(?:ing)?|" +
    "processed|completed|executed|handled|returned|loaded|fetched|retrieved|received|true|" +
    "(?:rate )?limit(?:ed to)?:? (?!0)\\d+(?:/\\w{1,9})?|took \\d+ ?m?s|affected|connection kept for later)(?![\\p{L}\\p{N}_])|" +
    "成功|操作|查询|请求|执行|获取|返回|处理|调用|读取|加载|接口|记录|(?:暂?无|没有)(?:数据|记录|结果)(?!成功)|数据|为?空|限制 ?[1-9]\\d*|(?:共 ?0? ?)?条",
  "giu",
);
/** Beside entries, a count of them goes with a success as well. */
const COUNT = new RegExp(
  `(?<![\\p{L}\\p{N}_.,])\\d+(?= (?:disabled|${ENTRIES})(?![\\p{L}\\p{N}_]))|(?<=\\btotal:? |共 ?)\\d+`,
  "giu",
);
/** A success that is counted, or whose value is that it is none: "Success: false", "succeeded 0 of 5". */
const NO_SUCCESS =
  /(?:\b(?:ok|success\w*|succeed\w*)|成功)(?: (?:status|state|flag|value|result|count))?(?: is |[^\p{L}\p{N}]{0,12})(?:(?:false|null|nil|none|off|undefined|no|n|n\/a)(?![\p{L}\p{N}_])|0(?=%|\/|;| of\b|\W*$)|[否假])|success\W{1,3}\[\]|\bsuccess rate|\b0 ?(?:\/|(?:out )?of) ?\d+ (?:\w+ )?(?:succe|ok\b)|成功[率数]/iu;
const FAILURE_WORDS = new RegExp(
  "fail|error|exception|denied|refus|reject|invalid|illegal|unauthori|forbid|exceed|too many|limit (?:is |was )?(?:reached|hit)|over (?:the )?limit|(?:is|was|been|rate) limited|" +
    "time-?d? ?out|unavailable|maintenance|unable|cannot|could not|overload|unreachable|busy|partial|degraded|stale|incomplete|" +
    "missing|offline|suspend|banned|blocked|throttl|truncat|warning|queued|expired|upgrad|n't |abort|cancell?ed|crash|disconnect|" +
    "outdated|dropped|broken|corrupt|restart|locked|insufficient|hang up|econn|gateway|read[- ]only|" +
    "\\b(?:not|no longer|err|but|closed|down|(?<!for )later|again|lost|reset|unsuccess\\w*)\\b|\\b(?:no|non|never|none|without|0|last)[ -](?:ok|succe)|" +
    "\\b(?:ok|success|status|upstream|returned|got)\\W{1,3}[45]\\d\\d\\b(?! ?\\w)|" +
    "失败|失敗|错误|异常|超时|忙|限流|拒绝|不可用|维护|无效|但|稍后|频繁|升级|暂停|停止|无法|不能|断开|出错|有误|不正确|故障|中断|不足|未授权|限速|受限|禁止|非法|部分|后才|未能|是否|[不未没有]成功|丢失|重启",
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

/** Whether it says that the request went well, and nothing else but what goes with that and with no entries. */
export function tellsOfSuccess(text: string): boolean {
  if (text.length > LONGEST_MESSAGE || !ANY_SUCCESS.test(text)) return false;
  return ONLY_PUNCTUATION.test(text.replace(NO_FAILURE, "").replace(HARMLESS, ""));
}

/** Whether it tells of a failure, or of what may be one; `hasEntries` says whether entries came with it. */
export function tellsOfFailure(text: string, hasEntries: boolean): boolean {
  if (text.length > LONGEST_MESSAGE) return true;
  if (tellsOfSuccess(hasEntries ? text.replace(COUNT, "0") : text)) return false;
  const rest = text.replace(NO_FAILURE, "");
  if (FAILURE_WORDS.test(rest) || NO_SUCCESS.test(rest.replace(SAYS_NOTHING, ""))) return true;
  return TOPICS.test(rest) && !SUCCESS_FIRST.test(rest);
}

/** Whether a code, such as `NotFound` or `NOT_FOUND`, is named after a failure. */
export function namesFailure(code: string): boolean {
  const text = code.slice(0, LONGEST_MESSAGE).replace(/([a-z])([A-Z])|[_-]/g, "$1 $2");
  return FAILURE_WORDS.test(text.replace(NO_FAILURE, ""));
}
