#!/bin/sh
# Puts a push before the forge; see guard.rs. The repository's own hook of the
# same name has its say afterwards.
hook=${0##*/}
own=${GIT_DIR:-.}/hooks/$hook

case $hook in
pre-receive)
    cat >"$BATON_FORGE_PUSH/commands" || exit 1
    printf '%s\n' "$GIT_OBJECT_DIRECTORY" >"$BATON_FORGE_PUSH/question.draft" || exit 1
    mv "$BATON_FORGE_PUSH/question.draft" "$BATON_FORGE_PUSH/question" || exit 1
    until [ -e "$BATON_FORGE_PUSH/answer" ]; do
        if ! kill -0 "$BATON_FORGE_PID" 2>/dev/null; then
            echo 'error: the forge went away' >&2
            exit 1
        fi
        sleep 0.01
    done
    if [ -x "$own" ]; then
        exec "$own" "$@" <"$BATON_FORGE_PUSH/commands"
    fi
    ;;
update)
    refused=
    while read -r ref message; do
        if [ "$ref" = "$1" ] || [ "$ref" = '*' ]; then
            printf '%s\n' "$message" >&2
            refused=yes
        fi
    done <"$BATON_FORGE_PUSH/answer"
    if [ -n "$refused" ]; then
        exit 1
    fi
    ;;
esac

if [ "$hook" != pre-receive ] && [ -x "$own" ]; then
    exec "$own" "$@"
fi
