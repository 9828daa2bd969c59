// SPDX-License-Identifier: GPL-3.0-or-later
// The shells' side of completion: each hands the words over and shows what `holdfast __complete` answers. Nothing of
// the answer is expanded by a shell: names come from projects, which may be anybody's.
#include "app/cli/complete.hpp"

namespace holdfast::cli {

namespace {

constexpr const char* bash = R"sh(# Completion of holdfast for bash, from `holdfast completions bash`.
_holdfast() {
    local words=() word joined=no kind= line before= i
    # Readline parts words at '=' and ':'; here they are put together again, without quotes.
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]//[\'\"\\]/}
        [[ $word == \~/* ]] && word=$HOME${word:1}
        if [[ ${#words[@]} -gt 0 && ($joined == yes || $word == [=:]) ]]; then
            words[${#words[@]} - 1]+=$word
        else
            words+=("$word")
        fi
        [[ $word == [=:] ]] && joined=yes || joined=no
    done
    word=${words[${#words[@]} - 1]}
    [[ $word == *[=:]* ]] && before=${word%"${word##*[=:]}"}
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ -z $kind ]]; then
            kind=$line
            continue
        fi
        line=${line%%$'\t'*}
        line=${line#"$before"}
        [[ -n $line ]] || continue
        printf -v line %q "$line"
        COMPREPLY+=("$line")
    done < <("$1" __complete "${words[@]}" 2>/dev/null)
    case $kind in
    unfinished) compopt -o nospace ;;
    files) compopt -o default ;;
    folders) compopt -o dirnames ;;
    esac
}
complete -F _holdfast holdfast
)sh";

constexpr const char* zsh = R"sh(#compdef holdfast
# Completion of holdfast for zsh, from `holdfast completions zsh`.
_holdfast() {
    local -a lines texts shown
    local kind line
    lines=("${(@f)$("${(Q)words[1]}" __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
    kind=${lines[1]}
    for line in "${(@)lines[2,-1]}"; do
        [[ -n $line ]] || continue
        texts+=("${line%%$'\t'*}")
        shown+=("${line/$'\t'/  -- }")
    done
    case $kind in
    unfinished) compadd -l -S '' -d shown -a texts ;;
    files) _files ;;
    folders) _files -/ ;;
    *) compadd -l -d shown -a texts ;;
    esac
}
if [[ ${funcstack[1]} == _holdfast ]]; then
    _holdfast "$@"
else
    compdef _holdfast holdfast
fi
)sh";

constexpr const char* fish = R"sh(# Completion of holdfast for fish, from `holdfast completions fish`.
function __holdfast_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    test (count $current) -eq 0; and set current ''
    set -l lines (command $words[1] __complete $words[2..-1] $current 2>/dev/null)
    switch "$lines[1]"
        case files
            __fish_complete_path $current
        case folders
            __fish_complete_directories $current
        case '*'
            test (count $lines) -gt 1; and printf '%s\n' $lines[2..-1]
    end
end
complete -c holdfast -f -a '(__holdfast_complete)'
)sh";

} // namespace

const char* completion_script(const std::string& shell) {
    return shell == "bash" ? bash : shell == "zsh" ? zsh : fish;
}

} // namespace holdfast::cli
