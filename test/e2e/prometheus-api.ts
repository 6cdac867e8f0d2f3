/** The calls of Prometheus' and Alertmanager's APIs that the tests need. */

export type RuleState = {
  readonly name: string;
  readonly type: "alerting" | "recording";
  readonly health: string;
  readonly lastError?: string;
};

export type ActiveAlert = {
  readonly labels: Readonly<Record<string, string>>;
  readonly state: "pending" | "firing";
};

async function dataFrom(url: string): Promise<unknown> {
  const reply = await fetch(url);
  const body = (await reply.json()) as { status: string; data: unknown; error?: string };
  if (body.status !== "success") throw new Error(`${url}: ${body.error}`);
  return body.data;
}

/** The health of a job's targets: `up`, `down` or `unknown`. */
export async function targetsOf(prometheus: string, job: string): Promise<string[]> {
  const { activeTargets } = (await dataFrom(`${prometheus}/api/v1/targets`)) as {
    activeTargets: { labels: Record<string, string>; health: string }[];
  };
  return activeTargets.flatMap(({ labels, health }) => (labels["job"] === job ? [health] : []));
}

export async function rulesOf(prometheus: string): Promise<readonly RuleState[]> {
  const { groups } = (await dataFrom(`${prometheus}/api/v1/rules`)) as {
    groups: { rules: RuleState[] }[];
  };
  return groups.flatMap(({ rules }) => rules);
}

/** The alerts that Prometheus has now. */
export async function activeAlerts(prometheus: string): Promise<readonly ActiveAlert[]> {
  const { alerts } = (await dataFrom(`${prometheus}/api/v1/alerts`)) as { alerts: ActiveAlert[] };
  return alerts;
}

/** How many series an expression gives. Fails where it cannot be evaluated. */
export async function seriesOf(prometheus: string, expression: string): Promise<number> {
  const query = new URLSearchParams({ query: expression });
  const { result } = (await dataFrom(`${prometheus}/api/v1/query?${query.toString()}`)) as {
    result: unknown[];
  };
  return result.length;
}

/** Silences what has a label of this value for an hour. */
export async function silence(alertmanager: string, name: string, value: string): Promise<void> {
  const now = Date.now();
  const reply = await fetch(`${alertmanager}/api/v2/silences`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      matchers: [{ name, value, isRegex: false, isEqual: true }],
      startsAt: new Date(now).toISOString(),
      endsAt: new Date(now + 3_600_000).toISOString(),
      createdBy: "test",
      comment: "a maintenance",
    }),
  });
  if (reply.status !== 200) throw new Error(`${reply.status}: ${await reply.text()}`);
}

export type KnownAlert = {
  readonly labels: Readonly<Record<string, string>>;
  readonly status: { readonly state: "active" | "suppressed" | "unprocessed" };
};

/** The alerts that Alertmanager has now. */
export async function knownAlerts(alertmanager: string): Promise<readonly KnownAlert[]> {
  const reply = await fetch(`${alertmanager}/api/v2/alerts`);
  return (await reply.json()) as KnownAlert[];
}
