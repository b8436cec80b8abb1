/*
 * The scripts only carry words to the program and its offers back, so that they need not change with the commands. The
 * program is the one whose name stands on the command line, wherever that is.
 */

const BASH = `_holdfast() {
  local IFS=$'\\n' program="\${1/#\\~/$HOME}" lines directive
  lines=($("$program" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  [ "\${#lines[@]}" -gt 0 ] || return 0
  directive="\${lines[\${#lines[@]}-1]}"
  unset "lines[\${#lines[@]}-1]"
  COMPREPLY=("\${lines[@]%%$'\\t'*}")
  case "$directive" in
    :0) compopt -o default 2>/dev/null ;;
    :6) compopt -o nospace 2>/dev/null ;;
  esac
}
complete -F _holdfast holdfast kubectl-holdfast`;

const ZSH = `#compdef holdfast kubectl-holdfast
_holdfast() {
  local -a lines
  local directive
  lines=("\${(@f)$("\${(Q)~words[1]}" __complete "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  directive="\${lines[-1]}"
  lines=("\${(@)lines[1,-2]%%$'\\t'*}")
  case "$directive" in
    :0) _files ;;
    :6) compadd -S '' -- "\${(@)lines}" ;;
    *) compadd -- "\${(@)lines}" ;;
  esac
}
if [ "$funcstack[1]" = "_holdfast" ]; then _holdfast "$@"; else compdef _holdfast holdfast kubectl-holdfast; fi`;

const FISH = `function __holdfast_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l lines ($words[1] __complete $words[2..-1] 2>/dev/null)
  if test (count $lines) -eq 0
    return
  end
  if test "$lines[-1]" = ":0"
    __fish_complete_path (commandline -ct)
    return
  end
  string match -v -r '^:[0-9]+$' -- $lines
end
complete -c holdfast -f -a '(__holdfast_complete)'
complete -c kubectl-holdfast -f -a '(__holdfast_complete)'`;

/** What each shell has to load, by its name. */
export const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
