/** A JSON schema, as far as the API's document uses it. */
type Schema = {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
};

type Operation = {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }>
  >;
};

/** The document of the API, `/api/v1/openapi.json`. */
export type ApiDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** The schema of each operation that answers with JSON, such as `get /api/v1/status`. */
export function answersOf(document: ApiDocument): ReadonlyMap<string, Schema> {
  return new Map(
    Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { responses }]) => {
        const schema = responses["200"]?.content?.["application/json"]?.schema;
        return schema === undefined ? [] : [[`${method} ${path}`, schema] as const];
      }),
    ),
  );
}

/**
 * Each field that the schema names, such as `.alerts[].since`, with whether one of the answers has a value there that is
 * neither null nor empty. A name that is data, and not a field, is written as `*`.
 */
export function fieldsOf(
  document: ApiDocument,
  schema: Schema,
  answers: readonly unknown[],
): ReadonlyMap<string, boolean> {
  const fields = new Map<string, boolean>();
  const walk = (
    own: Schema,
    path: string,
    values: readonly unknown[],
    within: readonly string[],
  ): void => {
    const { $ref } = own;
    if ($ref !== undefined) {
      const named = document.components.schemas[$ref.slice($ref.lastIndexOf("/") + 1)];
      if (named === undefined) throw new Error(`the document has no schema ${$ref}`);
      if (!within.includes($ref)) walk(named, path, values, [...within, $ref]);
      return;
    }
    for (const one of [...(own.anyOf ?? []), ...(own.oneOf ?? []), ...(own.allOf ?? [])]) {
      walk(one, path, values, within);
    }
    if (own.items !== undefined) {
      walk(own.items, `${path}[]`, values.filter(Array.isArray).flat(), within);
    }
    const objects = values.filter(isObject);
    if (typeof own.additionalProperties === "object") {
      walk(own.additionalProperties, `${path}.*`, objects.flatMap(Object.values), within);
    }
    for (const [name, field] of Object.entries(own.properties ?? {})) {
      const found = objects.map((one) => one[name]).filter(isFilled);
      const at = `${path}.${name}`;
      fields.set(at, found.length > 0 || fields.get(at) === true);
      walk(field, at, found, within);
    }
  };
  walk(schema, "", answers, []);
  return fields;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isFilled(value: unknown): boolean {
  return value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);
}
