import { z } from "@hono/zod-openapi";
import { ACTION_NAMES } from "../../../domain/action.ts";
import { entityKey } from "../../../domain/entity.ts";
import { REMEDIATION_STATES, type Remediation } from "../../../domain/remediation.ts";
import { alias, pageNext } from "../answer-parts.ts";
import { documented, instant, list, named, number, object } from "../codec.ts";
import type { ValueOf } from "../codec.ts";
import { aliasOf } from "../details/about-finding.ts";
import { remediationFields } from "../status-rows.ts";
import {
  aboutQuery,
  isAbout,
  pageQuery,
  pagingOf,
  sortQuery,
  textMatcher,
  textQuery,
} from "./query.ts";
import { createPage } from "./select.ts";
import type { View } from "./view.ts";

/** `GET /api/v1/remediations`: remediations, the newest first, a page at a time. */

export const namedRemediation = object({
  ...remediationFields,
  alias,
});

export const remediationsAnswer = documented(
  object({
    at: instant,
    total: number,
    rows: named("remediations", list(namedRemediation)),
    next: pageNext,
  }),
  "Remediations",
);

export const remediationsQuery = z.object({
  ...aboutQuery,
  action: z.enum(ACTION_NAMES).optional(),
  state: z.enum(REMEDIATION_STATES).optional(),
  text: textQuery,
  sort: sortQuery(["requested_at", "settled_at"], "-requested_at"),
  ...pageQuery("remediations"),
});

type RemediationsQuery = z.infer<typeof remediationsQuery>;

export function remediationsIn(
  view: View,
  query: RemediationsQuery,
): ValueOf<typeof remediationsAnswer> {
  const paging = pagingOf("remediations", query);
  const hasText = textMatcher(query.text);
  const found = createPage<Readonly<Remediation>>(paging);
  for (const [key, one] of view.remediations) {
    const isOwn =
      isAbout(query, one.entity) &&
      (query.alertname === undefined || query.alertname === one.rule) &&
      (query.action === undefined || query.action === one.action) &&
      (query.state === undefined || query.state === one.state) &&
      hasText(one.alert, withAlias(view, one), one.justifiedBy.facts);
    if (!isOwn) continue;
    found.add({
      key,
      item: one,
      value: paging.sortBy === "settled_at" ? one.settledAt : one.requestedAt,
    });
  }
  const { page, ...ends } = found.end();
  return { at: view.at, rows: page.map((one) => withAlias(view, one)), ...ends };
}

export function withAlias(
  { entities }: Pick<View, "entities">,
  remediation: Readonly<Remediation>,
): ValueOf<typeof namedRemediation> {
  return { ...remediation, alias: aliasOf(entities, entityKey(remediation.entity)) };
}
