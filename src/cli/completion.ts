import type { Command } from "commander";
import { EXIT, type CliCommand } from "./context.ts";

/** The commands and the options of each, for shell completion. */
type Words = ReadonlyArray<{
  readonly name: string;
  readonly description: string;
  readonly options: readonly string[];
}>;

const SHELLS: Readonly<Record<string, (words: Words) => string>> = {
  bash: bashScript,
  zsh: (words) => `autoload -U +X bashcompinit && bashcompinit\n${bashScript(words)}`,
  fish: fishScript,
};

/** `aggwatch completion SHELL`: made from the program itself, so it knows every command. */
export function completionCommand(program: Command): CliCommand<object> {
  return {
    name: "completion",
    describe: (command) =>
      command
        .description("Prints the completion of a shell: bash, zsh or fish.")
        .argument("<shell>", "bash, zsh or fish"),
    run: (_options, context, [shell = ""]) => {
      const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
      if (script === undefined) {
        context.complain(`there is no completion for ${shell}: bash, zsh or fish`);
        return Promise.resolve(EXIT.usage);
      }
      context.output(script(wordsOf(program)));
      return Promise.resolve(EXIT.ok);
    },
  };
}

function wordsOf(program: Command): Words {
  return program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    options: command.options.flatMap(({ long, hidden }) => (hidden ? [] : (long ?? []))),
  }));
}

function bashScript(words: Words): string {
  const cases = words.map(({ name, options }) => `    ${name}) words="${options.join(" ")}" ;;`);
  return `_aggwatch() {
  local words=""
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
  esac
  [ "$COMP_CWORD" -eq 1 ] && words="${words.map(({ name }) => name).join(" ")}"
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _aggwatch aggwatch`;
}

function fishScript(words: Words): string {
  const quoted = (text: string): string =>
    `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  return words
    .flatMap(({ name, description, options }) => [
      `complete -c aggwatch -n __fish_use_subcommand -f -a ${name} -d ${quoted(description)}`,
      ...options.map(
        (option) =>
          `complete -c aggwatch -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`,
      ),
    ])
    .join("\n");
}
