# SPDX-License-Identifier: Apache-2.0
# Completion for bash. It asks the program for its verbs and options, so it knows each version's own.
_tileplan() {
  local -r current=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]} verb=${COMP_WORDS[1]:-}
  local words
  if ((COMP_CWORD == 1)) || [[ $verb == help && $COMP_CWORD -eq 2 ]]; then
    words=$("$program" --help 2>/dev/null | sed -n '/^Subcommands:/,$s/^  \([a-z][a-z]*\).*/\1/p')
  elif [[ $current == -* ]]; then
    words=$("$program" "$verb" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*' | sort -u)
  fi
  mapfile -t COMPREPLY < <(compgen -W "${words:-}" -- "$current")
}
complete -o default -F _tileplan tileplan
