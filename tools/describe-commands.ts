import { Command } from "commander";
import { operatorCommands } from "../src/cli/operate/commands.ts";
import { operatorCalls, type OperatorCall } from "../src/io/api/operator-calls.ts";

/** The table in docs/operations.md of the commands that change something, from the table of operators' calls. */
export function commandsTable(): string {
  const calls = new Map<string, OperatorCall>(Object.entries(operatorCalls));
  const rows = operatorCommands.map(({ name, describe }) => {
    const command = describe(new Command(name));
    const words = command.registeredArguments.map((one) => {
      const word = one.name().toUpperCase();
      return one.required ? word : `[${word}]`;
    });
    const { method = "", path = "", needs = "" } = calls.get(name) ?? {};
    return [
      `\`${[name, ...words].join(" ")}\``,
      command.description(),
      `\`${method.toUpperCase()} ${path}\``,
      `\`${needs}\``,
    ];
  });
  const heads = ["command", "what it does", "call", "scope of the token"];
  return [heads, heads.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}
