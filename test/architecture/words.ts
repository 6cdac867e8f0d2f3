/** A word that readers would have to learn first, and the field's word for it. */
export type PrivateWord = { readonly pattern: RegExp; readonly instead: string };

/** Words in prose and as a part of a name: `stir` also in `isStirred` and `NEXT_STIR`. */
function named(word: string, ends: string, instead: string, unless = ""): PrivateWord {
  const first = word.charAt(0);
  const rest = word.slice(1);
  const ways = [
    `(?<![A-Za-z])${word}(?:${ends})?(?![a-z])${unless}`,
    `${first.toUpperCase()}${rest}(?:${ends})?(?![a-z])${unless}`,
    `(?<![A-Z])${word.toUpperCase()}(?:${ends.toUpperCase()})?(?![A-Z])`,
  ];
  return { pattern: new RegExp(ways.join("|"), "g"), instead };
}

export const PRIVATE_WORDS: readonly PrivateWord[] = [
  named("stir", "s|red|ring", "revision, or wake-up"),
  named("obey", "s|ed", "apply a command"),
  named("courier", "s", "client"),
  named("misfortune", "s", "fault"),
  named("onlooker", "s", "observer"),
  named("lane", "s", "limiter"),
  // The libraries and the protocol of emails say `sendMail` and `mailFrom`.
  named("mail", "s", "delivery", "(?<!\\.sendMail)(?!From)"),
  named("rubbish", "", "garbage"),
  { pattern: /\bgood guest\b/gi, instead: "polite, or name the limit" },
  { pattern: /\bnot seldom\b|\bas ever\b/gi, instead: "often; as before" },
  { pattern: /\banew\b|Anew(?![a-z])/gi, instead: "again" },
  { pattern: /\bbut for (?=[a-z`])/gi, instead: "except for" },
  { pattern: /\bin spite of\b|\bfor ever\b/gi, instead: "despite; forever" },
  {
    pattern: /\b(?:is|are|was|were|be) told of\b/gi,
    instead: "is notified of, is logged, is known",
  },
];
