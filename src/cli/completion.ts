import { Argument, type Command, type Option } from "commander";
import { EXIT, type CliCommand } from "./context.ts";
import { COLOUR_WHENS } from "./print/colours.ts";

/** The commands, and what may follow each, for shell completion. */
type Words = ReadonlyArray<{
  readonly name: string;
  readonly description: string;
  /** The values of the first argument, if they are known. */
  readonly choices: readonly string[];
  readonly options: readonly OptionWords[];
}>;

type OptionWords = {
  readonly flag: string;
  readonly hasValue: boolean;
  /** The values, if they are known; with none, the shell completes file names. */
  readonly choices: readonly string[];
};

/** An option of every command, which is taken off the command line before commander reads it. */
const COLOR: OptionWords = {
  flag: "--color",
  hasValue: true,
  choices: COLOUR_WHENS,
};

/** Values of options that take others too, such as several at once, so that commander must not refuse those. */
const SUGGESTED = new WeakMap<Option, readonly string[]>();

/** Makes completion suggest the values. */
export function suggesting(option: Option, values: readonly string[]): Option {
  SUGGESTED.set(option, values);
  return option;
}

/** zsh runs bash's script. If completion is not set up in the shell yet, this does it. */
const ZSH_HEAD = `(( $+functions[compdef] )) || { autoload -U compinit && compinit; }
autoload -U +X bashcompinit && bashcompinit`;

const SHELLS: Readonly<Record<string, (words: Words) => string>> = {
  bash: bashScript,
  zsh: (words) => `${ZSH_HEAD}\n${bashScript(words)}`,
  fish: fishScript,
};

/** `aggwatch completion SHELL`: made from the program itself, so it knows every command. */
export function completionCommand(program: Command): CliCommand<object> {
  return {
    name: "completion",
    describe: (command) =>
      command
        .description("Prints the completion of a shell: bash, zsh or fish.")
        .addArgument(new Argument("<shell>").choices(Object.keys(SHELLS))),
    run: (_options, context, [shell = ""]) => {
      context.output(SHELLS[shell]?.(wordsOf(program)) ?? "");
      return Promise.resolve(EXIT.ok);
    },
  };
}

function wordsOf(program: Command): Words {
  return program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    choices: command.registeredArguments[0]?.argChoices ?? [],
    options: [
      ...command.options.flatMap((option) => {
        const {
          long,
          hidden,
          required,
          optional,
          argChoices = SUGGESTED.get(option) ?? [],
        } = option;
        if (hidden || typeof long !== "string") return [];
        return [{ flag: long, hasValue: required || optional, choices: argChoices }];
      }),
      COLOR,
    ],
  }));
}

function bashScript(words: Words): string {
  const values = words.flatMap(({ name, options }) =>
    options
      .filter((option) => option.hasValue && option !== COLOR)
      .map(({ flag, choices }) => `    "${name} ${flag}") words="${choices.join(" ")}" ;;`),
  );
  const casesOf = (of: (one: Words[number]) => readonly string[]): string =>
    words.map((one) => `      "${one.name}") words="${of(one).join(" ")}" ;;`).join("\n");
  return `_aggwatch() {
  local words="" at=1 start="" typed="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  # For bash, --state=f is three words; for zsh it is one.
  case "$typed" in
    =) typed="" ;;
    --*=*) before="\${typed%%=*}" start="\${typed%%=*}=" typed="\${typed#*=}" ;;
    *) [ "$before" = = ] && before="\${COMP_WORDS[COMP_CWORD-2]}" ;;
  esac
  case "\${COMP_WORDS[1]}\${COMP_WORDS[2]}" in
    ${COLOR.flag}=) at=4 ;;
    ${COLOR.flag}=*) at=2 ;;
    ${COLOR.flag}*) at=3 ;;
  esac
  local command="\${COMP_WORDS[at]}"
  case "$command $before" in
    *" ${COLOR.flag}") words="${COLOR.choices.join(" ")}" ;;
${values.join("\n")}
    *) case "$typed" in
    -*) case "$command" in
${casesOf(({ options }) => options.map(({ flag }) => flag))}
      esac ;;
    # A verb is the first argument; what follows is a file or a name.
    *) [ "$COMP_CWORD" -eq $((at + 1)) ] && case "$command" in
${casesOf(({ choices }) => choices)}
      esac ;;
    esac ;;
  esac
  [ "$COMP_CWORD" -eq "$at" ] && words="${words.map(({ name }) => name).join(" ")}"
  COMPREPLY=($(compgen -P "$start" -W "$words" -- "$typed"))
}
complete -o default -F _aggwatch aggwatch`;
}

/** Only the first word is the command: `test` in `notify test` is a verb, and another word may be a value. */
const FISH_HEAD = `function __aggwatch_words
  set -l words (commandline -opc)
  set -e words[1]
  if test "$words[1]" = ${COLOR.flag}
    set -e words[1]
    set -q words[1]; and set -e words[1]
  end
  printf '%s\\n' $words
end
function __aggwatch_starts
  set -l words (__aggwatch_words)
  test -z "$words[1]"
end
function __aggwatch_runs
  set -l words (__aggwatch_words)
  test "$words[1]" = $argv[1]
end
function __aggwatch_begins
  set -l words (__aggwatch_words)
  test "$words" = $argv[1]
end`;

function fishScript(words: Words): string {
  const isFirst = "__aggwatch_starts";
  const color = `complete -c aggwatch -n ${isFirst} -l ${COLOR.flag.slice(2)}${fishValue(COLOR)}`;
  const scripts = words.flatMap(({ name, description, choices, options }) => {
    const within = (how: string) => `complete -c aggwatch -n '__aggwatch_${how} ${name}'`;
    return [
      `complete -c aggwatch -n ${isFirst} -f -a ${name} -d ${quoted(description)}`,
      ...(choices.length === 0 ? [] : [`${within("begins")} -f -a ${quoted(choices.join(" "))}`]),
      ...options.map(
        (option) => `${within("runs")} -l ${option.flag.slice(2)}${fishValue(option)}`,
      ),
    ];
  });
  return [FISH_HEAD, color, ...scripts].join("\n");
}

function fishValue({ hasValue, choices }: OptionWords): string {
  if (!hasValue) return "";
  return choices.length === 0 ? " -r" : ` -x -a ${quoted(choices.join(" "))}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
