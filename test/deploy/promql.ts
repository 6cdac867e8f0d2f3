/**
 * As much of PromQL as it takes to name what an expression reads. Whether it is right is for promtool
 * to say (test/e2e/prometheus.test.ts).
 */

const KEYWORDS = new Set(
  "and or unless by without on ignoring group_left group_right offset bool".split(" "),
);

const NAME = /[a-zA-Z_:][a-zA-Z0-9_:]*/g;

/** The parts that hold no names of metrics: texts, selectors, ranges, and lists of labels. */
function bare(expression: string): string {
  return expression
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
    .replaceAll(/\{[^}]*\}/g, " ")
    .replaceAll(/\[[^\]]*\]/g, " ")
    .replaceAll(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, " ")
    .replaceAll(/\b\d[\w.]*/g, " ");
}

/** The metrics that an expression names, each once. */
export function metricsIn(expression: string): string[] {
  const text = bare(expression);
  const names = [...text.matchAll(NAME)].flatMap((match) => {
    const [name] = match;
    const isCall = /^\s*\(/.test(text.slice(match.index + name.length));
    return isCall || KEYWORDS.has(name) ? [] : [name];
  });
  return [...new Set(names)];
}

/** The selectors of an expression: each metric with the labels that its matchers name. */
export function selectorsIn(expression: string): Array<{ metric: string; labels: string[] }> {
  const pattern = /([a-zA-Z_:][a-zA-Z0-9_:]*)\s*\{((?:[^}"]|"(?:[^"\\]|\\.)*")*)\}/g;
  return [...expression.matchAll(pattern)].map(([, metric = "", matchers = ""]) => ({
    metric,
    labels: [...matchers.matchAll(/([a-zA-Z_]\w*)\s*(?:=~|!~|!=|=)/g)].map(
      (match) => match[1] ?? "",
    ),
  }));
}

/** The labels that `by` and `without` name. */
export function groupedBy(expression: string): string[] {
  return [...expression.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)].flatMap(
    ([, list = ""]) => list.split(",").flatMap((label) => label.trim() || []),
  );
}
