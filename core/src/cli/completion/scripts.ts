import type { CliContext } from "../context.ts";
import type { Shell } from "./commands.ts";

/** Nothing that is offered is run: `printf %q` quotes it for bash, and the other shells quote what they insert. */
const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: String.raw`_hermes() {
  local value rest
  COMPREPLY=()
  while IFS=$'\t' read -r value rest; do
    case "\${COMP_WORDS[COMP_CWORD]}" in
      [\"\']*) COMPREPLY+=("$value") ;;
      *) COMPREPLY+=("$(printf '%q' "$value")") ;;
    esac
  done < <(hermes complete --shell bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _hermes hermes`,
  zsh: String.raw`#compdef hermes
_hermes() {
  local -a values described
  local line
  while IFS= read -r line; do
    values+=("\${line%%$'\t'*}")
    described+=("\${line//$'\t'/  -- }")
  done < <(hermes complete --shell zsh -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  if (( $#values )); then compadd -l -d described -a values; else _files; fi
}
compdef _hermes hermes`,
  fish: `function __hermes_candidates
  set -l before (commandline -opc)
  hermes complete --shell fish -- $before[2..-1] (commandline -ct | string unescape) 2>/dev/null
end
complete -c hermes -f -a '(__hermes_candidates)'
complete -c hermes -l config -r -F`,
};

/** `hermes completion <shell>` */
export async function printScript({ io, output }: CliContext, shell: Shell): Promise<undefined> {
  const script = SCRIPTS[shell].replaceAll("\\${", "${");
  output.document({ shell, script });
  if (!output.json) io.stdout.write(`${script}\n`);
}
