#!/bin/sh
# Keeps an audit log: a line of JSON for every request that was made, in the file that AUDIT_LOG names.
# Whoever only watches answers nothing but the first line.
read -r hello
echo '{"type":"ready","protocol":1,"hooks":["network.didPerform"],"version":"1.0"}'
while read -r line; do
    case $line in
        *'"type":"tell"'*) printf '%s %s\n' "$(date -u +%FT%TZ)" "$line" >> "$AUDIT_LOG" ;;
        *'"type":"stop"'*) exit 0 ;;
    esac
done
