/** Keys that other programs have, such as Prometheus in its rules and tests, with what is written here instead. */
const HABITS: ReadonlyArray<{
  readonly keys: readonly string[];
  /** Known only in the mappings that are meant. */
  readonly beside: string;
  readonly hint: string;
}> = [
  { keys: ["expr"], beside: "when", hint: 'the condition of a rule is "when", in CEL' },
  {
    keys: ["severity"],
    beside: "annotations",
    hint: "it is a label, so write labels: { severity: … }",
  },
  ...["summary", "description"].map((key) => ({
    keys: [key],
    beside: "annotations",
    hint: `it is an annotation, so write annotations: { ${key}: … }`,
  })),
  {
    keys: ["port", "host", "address", "http"],
    beside: "listen",
    hint: 'the page and the API are served at "listen", such as 127.0.0.1:9733',
  },
  {
    keys: ["port", "address", "bind"],
    beside: "external_url",
    hint: 'host and port are "listen" at the top level, such as 127.0.0.1:9733',
  },
  {
    keys: ["token", "tokens"],
    beside: "listen",
    hint: "the tokens of those who may write are in the file of server.tokens_file; commands read theirs from AGGWATCH_TOKEN_FILE",
  },
  { keys: ["url", "address", "host"], beside: "base_url", hint: 'did you mean "base_url"?' },
  {
    keys: ["interval", "cron", "schedule", "poll_interval"],
    beside: "schedules",
    hint: 'when each poller polls is written in "schedules", as cron with seconds first',
  },
  {
    keys: ["key", "api_key", "apikey", "headers"],
    beside: "base_url",
    hint: 'keys are sent as "auth" says, such as act: { type: header, name: X-API-KEY, value_file: … }',
  },
  {
    keys: ["path", "directory"],
    beside: "postgres",
    hint: 'the directory is "data" at the top level',
  },
  {
    keys: ["tests", "given", "expect"],
    beside: "groups",
    hint: "tests of rules have a file of their own, such as pools.test.yaml for pools.yaml",
  },
  {
    keys: ["groups", "rules"],
    beside: "tests",
    hint: "rules have a file of their own, such as pools.yaml for pools.test.yaml",
  },
  {
    keys: ["alert", "rules", "each"],
    beside: "groups",
    hint: "rules stand in groups: [{ name, rules: [ … ] }]",
  },
  { keys: ["input_series"], beside: "given", hint: 'what is observed is "given"' },
  { keys: ["interval"], beside: "given", hint: 'did you mean "every"?' },
  {
    keys: ["alert_rule_test", "then", "assert"],
    beside: "given",
    hint: 'what comes of it is in "expect"',
  },
];

/** What is probably meant by an unknown key of a mapping with these keys; undefined if it is no such habit. */
export function habitOf(key: string, known: readonly string[]): string | undefined {
  return HABITS.find(({ keys, beside }) => keys.includes(key) && known.includes(beside))?.hint;
}
