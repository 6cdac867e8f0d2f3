/** What stands in the place of a secret, wherever a text is shown or kept. */
export const REDACTED = "[redacted]";

/** A name in camelCase as YAML and JSON have it. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A number of things for people: `1 poll`, `2 polls`, `0 entities`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
