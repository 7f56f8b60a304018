# The arguments of `check` and `preview`, of the inputs. Sourced by the scripts that run them.
# shellcheck shell=bash

# Adds `FLAG=LINE` to `arguments` for each line of a text that is not empty.
add_lines() {
    local line
    while IFS= read -r line || [ -n "$line" ]; do
        line=${line%$'\r'}
        [ -z "$line" ] || arguments+=("$1=$line")
    done <<<"$2"
}

# Adds whether the Jobs are shown with the plugin, and with which strategy: without the plugin it would have no effect, and be an error.
add_plugin() {
    case $PLUGIN in
    '') ;;
    true | false) arguments+=("--plugin=$PLUGIN") ;;
    *) fail "\`plugin\` is \`$PLUGIN\`, and must be \`true\`, \`false\` or empty" ;;
    esac
    [ "$PLUGIN" = false ] || add_lines --strategy "$STRATEGY"
}

# Adds the paths, which no dash turns into flags. Standard input is no path here.
add_paths() {
    local line
    arguments+=(--)
    while IFS= read -r line || [ -n "$line" ]; do
        line=${line%$'\r'}
        case $line in
        '') ;;
        -) fail '`-` is not a path' 'set `paths` to folders and files of the checkout, one on each line' ;;
        *) arguments+=("$line") ;;
        esac
    done <<<"$1"
}

# Adds the Applications, or the paths if there are none: an Application names its folder itself.
add_sources() {
    local before=${#arguments[@]}
    add_lines --application "$APPLICATIONS"
    if [ ${#arguments[@]} = "$before" ]; then
        add_paths "$PATHS"
        return
    fi
    # The default.
    case ${PATHS//[[:space:]]/} in
    '' | .) ;;
    *) fail '`applications` and `paths` cannot be used together' 'remove `paths`: an Application names its folder' ;;
    esac
}

# Shows in the log what the program says of errors. If it could not do its work, the step ends, and the report has what it says.
tell_errors() {
    local status=$1 errors=$2
    cat "$errors" >&2
    case $status in
    0 | 1) ;;
    2)
        say error "$(head -c 4000 "$errors")"
        cp "$errors" "$FOLDER/failure"
        exit 2
        ;;
    *) fail "argocd-jobs has ended with status $status" 'report it, with the log of this step' ;;
    esac
}
