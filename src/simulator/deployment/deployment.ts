import { chance, pick, seedRandom } from "../model/random.ts";

/**
 * A deployment: the same world in another form. The interface leaves shapes, names, units, words, methods and the
 * prefix of the paths open, so real deployments differ in these.
 */
export type Deployment = {
  readonly name: string;
  /** Replies are under this key of an object. */
  readonly wrapper: string | undefined;
  /** The spelling of the names of fields and arguments. */
  readonly naming: "camel" | "snake" | "pascal";
  readonly instants: "milliseconds" | "seconds" | "iso";
  readonly numbers: "numbers" | "texts";
  readonly statuses: "upper" | "lower";
  /** Listings are lists, objects whose keys name the entries, or pages that each name the next page. */
  readonly listings: "lists" | "keyed" | "paged";
  /** Instead of `/api/v1` in all paths. */
  readonly prefix: string;
  /** `other`: reads by POST take GET, and some reads by GET take POST. */
  readonly verbs: "usual" | "other";
};

export const USUAL: Deployment = {
  name: "usual",
  wrapper: undefined,
  naming: "camel",
  instants: "milliseconds",
  numbers: "numbers",
  statuses: "upper",
  listings: "lists",
  prefix: "/api/v1",
  verbs: "usual",
};

/** Each differs from the usual one in one thing. */
const NAMED = {
  wrapped: { wrapper: "data" },
  snake: { naming: "snake" },
  pascal: { naming: "pascal" },
  seconds: { instants: "seconds" },
  iso: { instants: "iso" },
  "lower-case": { statuses: "lower" },
  prefix: { prefix: "/backend/v2" },
  verbs: { verbs: "other" },
  keyed: { listings: "keyed" },
  paged: { listings: "paged" },
  texts: { numbers: "texts" },
} as const satisfies Readonly<Record<string, Partial<Deployment>>>;

export const DEPLOYMENT_NAMES: readonly string[] = Object.keys(NAMED);

/** The deployment of this name, or the mixture of this seed; undefined if the text is neither. */
export function findDeployment(text: string): Deployment | undefined {
  const named = Object.entries(NAMED).find(([name]) => name === text);
  if (named !== undefined) return { ...USUAL, name: text, ...named[1] };
  const seed = /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  return seed === undefined ? undefined : mixtureOf(seed);
}

/** A random deployment that differs from the usual one in at least two things; it follows from the seed. */
export function mixtureOf(seed: number): Deployment {
  const random = seedRandom(seed);
  const draw = <Value>(usual: Value, ...others: readonly Value[]): Value =>
    chance(random, 0.35) ? (pick(random, others) ?? usual) : usual;
  for (;;) {
    const drawn: Deployment = {
      name: String(seed),
      wrapper: draw<string | undefined>(undefined, "data", "result", "payload"),
      naming: draw<Deployment["naming"]>("camel", "snake", "pascal"),
      instants: draw<Deployment["instants"]>("milliseconds", "seconds", "iso"),
      numbers: draw<Deployment["numbers"]>("numbers", "texts"),
      statuses: draw<Deployment["statuses"]>("upper", "lower"),
      listings: draw<Deployment["listings"]>("lists", "keyed", "paged"),
      prefix: draw(USUAL.prefix, "/api/v2", "/backend/v2", "/rest"),
      verbs: draw<Deployment["verbs"]>("usual", "other"),
    };
    if (differencesOf(drawn).length >= 2) return drawn;
  }
}

/** The differences from the usual deployment, for people: `naming snake`. */
export function differencesOf(deployment: Deployment): readonly string[] {
  const { name: _, ...usual } = USUAL;
  return Object.entries(usual).flatMap(([key, value]) => {
    const own = deployment[key as keyof typeof usual];
    return own === value ? [] : [`${key} ${own}`];
  });
}
