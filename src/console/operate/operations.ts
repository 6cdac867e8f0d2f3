import { html } from "../element.ts";
import { overview } from "../data/store.ts";
import { counted, type EntityName } from "../text/words.ts";
import { Covers, useRules, type Rule, type Scope } from "./covers.ts";
import { Listed } from "./listed.ts";
import { ReloadPreview } from "./reload-preview.ts";
import type { Field, Operation } from "./operation.ts";

/** The operations beside decisions; each is one of the operators' calls of the API. */

const operate = { needs: "operate", method: "POST" } as const;

const withReason = (_given: unknown, reason: string) => ({ reason });

export function kill(): Operation {
  return {
    ...operate,
    title: "Stop all actions",
    verb: "Stop all actions",
    path: "api/v1/kill",
    about: () => [
      ["Stops", "every action of every rule, until someone releases it"],
      ["Goes on", "polling, rules, alerts and notifications"],
      ["Now", unsettledText()],
    ],
    body: withReason,
  };
}

function unsettledText(): string {
  // Not of those that the overview lists: they are the newest alone.
  const open = overview.value?.remediation_counts.open ?? 0;
  if (open === 0) return "no remediation is under way";
  return `${counted(open, "remediation")} under way; what was sent is not taken back`;
}

export function unkill(): Operation {
  return {
    ...operate,
    method: "DELETE",
    title: "Release the kill switch",
    verb: "Release",
    path: "api/v1/kill",
    about: () => {
      const kills = overview.value?.killed ?? [];
      const own = kills.find(({ source }) => source === "operator");
      if (own === undefined) return undefined;
      const others = kills.filter(({ source }) => source !== "operator");
      return [
        ["Thrown", `by ${own.by}: ${own.reason}`],
        [
          "Then",
          others.length > 0
            ? `still nothing is sent: ${others.map(({ reason }) => reason).join("; ")}`
            : "actions are sent again if a rule says so, slowly at first",
        ],
      ];
    },
    gone: () => "No operator's kill switch is on any more.",
    body: withReason,
  };
}

const LENGTHS = ["15m", "30m", "1h", "2h", "4h", "8h", "24h", "72h"];

/** A hold stops actions, a silence notifications; both must end. */
export function override(name: "hold" | "silence", scope: Scope): Operation {
  const names = overview.value?.aggregators ?? [];
  const kinds = names.flatMap((own) => own.kinds.map(({ kind }) => kind));
  const choices = (given: string | undefined, all: readonly string[]): readonly string[] => [
    ...new Set(["", ...(given === undefined ? [] : [given]), ...all]),
  ];
  const field = (key: keyof Scope, label: string, all?: readonly string[]): Field => ({
    name: key,
    label,
    value: scope[key] ?? "",
    ...(all === undefined ? {} : { choices: choices(scope[key], all) }),
  });
  return {
    ...operate,
    needs: "hold",
    title: name === "hold" ? "Hold: do not act" : "Silence: do not notify",
    verb: name === "hold" ? "Hold" : "Silence",
    path: `api/v1/${name}s`,
    about: (given) => [
      [
        "Stops",
        name === "hold" ? "actions, not alerts or notifications" : "notifications, not actions",
      ],
      ["Covers now", html`<${Covers} scope=${scopeOf(given)} />`],
    ],
    fields: [
      field(
        "aggregator",
        "Aggregator",
        names.map((own) => own.name),
      ),
      {
        ...field("kind", "Kind of entity"),
        // What rules judge may be a kind that the overview does not count.
        choices: () => choices(scope.kind, [...kinds, ...useRules().map(({ kind }) => kind)]),
      },
      {
        ...field("id", "Entity"),
        hint: "Its id; empty for all. What belongs to it is covered, too.",
      },
      { ...field("rule", "Rule"), choices: () => choices(scope.rule, useRules().map(ruleName)) },
      { name: "for", label: "For", value: "1h", choices: LENGTHS },
    ],
    body: (given, reason) => ({ scope: scopeOf(given), for: given["for"], reason }),
  };
}

function ruleName({ alertname }: Rule): string {
  return alertname;
}

/** What is not said is not asked for. */
function scopeOf({ aggregator, kind, id, rule }: Readonly<Record<string, string>>): Scope {
  const said = Object.entries({ aggregator, kind, id, rule }).flatMap(([key, value = ""]) =>
    value.trim() === "" ? [] : [[key, value.trim()]],
  );
  return Object.fromEntries(said) as Scope;
}

export function endOverride(name: "hold" | "silence", id: string): Operation {
  const list = name === "hold" ? ("holds" as const) : ("silences" as const);
  return {
    ...operate,
    method: "DELETE",
    title: `End ${name} ${id}`,
    verb: "End it",
    path: `api/v1/${list}/${encodeURIComponent(id)}`,
    about: () => {
      const found = overview.value?.[list].find((one) => one.id === id);
      if (found === undefined) return undefined;
      return [
        ["Made", `by ${found.owner}: ${found.reason}`],
        ["Covers now", html`<${Covers} scope=${found.scope} />`],
      ];
    },
    gone: () => `The ${name} has ended.`,
    body: withReason,
  };
}

export function unquarantine(entity: string): Operation {
  return {
    ...operate,
    method: "DELETE",
    title: "End a quarantine",
    verb: "End it",
    path: "api/v1/quarantines",
    about: () => {
      const found = overview.value?.quarantines.find((one) => one.entity === entity);
      if (found === undefined) return undefined;
      return [
        ["Entity", entity],
        ["Left alone", found.reason],
        ["Then", "aggwatch may act on it again"],
      ];
    },
    gone: () => "It is not in quarantine any more.",
    body: (_given, reason) => ({ entity, reason }),
  };
}

/** The kinds of entity that a watch list names. */
export const WATCHED: readonly string[] = ["sender", "liquidation", "order", "pool"];

export function watch(name: "watch" | "unwatch", entity?: EntityName): Operation {
  const names = (overview.value?.aggregators ?? []).map((own) => own.name);
  const isNew = name === "watch";
  return {
    ...operate,
    method: isNew ? "POST" : "DELETE",
    title: isNew ? "Watch one more" : "Watch it no longer",
    verb: isNew ? "Watch" : "Unwatch",
    path: "api/v1/watch",
    about: (given) => [
      ["Does", isNew ? "puts 1 entry on a watch list" : html`<${Listed} given=${given} />`],
    ],
    fields: [
      {
        name: "aggregator",
        label: "Aggregator",
        value: entity?.aggregator ?? names[0] ?? "",
        choices: names,
      },
      { name: "kind", label: "Kind", value: entity?.kind ?? "sender", choices: WATCHED },
      {
        name: "target",
        label: "Target",
        value: entity?.id ?? "",
        isRequired: true,
        hint: "An address, the id of an order, or factory/pair.",
      },
      ...(isNew ? [{ name: "alias", label: "Alias", value: "" }] : []),
    ],
    body: ({ aggregator, kind, target = "", alias = "" }, reason) => ({
      aggregator,
      kind,
      target: target.trim(),
      ...(alias === "" ? {} : { alias }),
      reason,
    }),
  };
}

export function reload(): Operation {
  return {
    ...operate,
    title: "Reload config and rules",
    verb: "Reload",
    path: "-/reload",
    about: () => [["Reads", "config and rules again: all of it, or nothing if there is a problem"]],
    preview: (answer) => html`<${ReloadPreview} answer=${answer} />`,
  };
}
