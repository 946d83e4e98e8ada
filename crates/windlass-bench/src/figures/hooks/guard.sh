# The guard as a script: bash and jq. $1 is the file with the run's state, $2 the event.
input=$(cat)
[ -f "$1" ] || exit 0
status=$(jq -r .status "$1") || exit 2
[ "$status" = completed ] && exit 0
if [ "$2" = stop ]; then
  file=$(jq -r .file "$1")
  [ -s "$file" ] && exit 0
  blocks=$(jq -r .blocks "$1")
  jq ".blocks = $((blocks + 1))" "$1" >"$1.new" && mv "$1.new" "$1"
  jq -n --arg reason "$(jq -r .instruction "$1")" '{decision: "block", reason: $reason}'
  exit 0
fi
command=$(jq -r '.tool_input.command // empty' <<<"$input")
if grep -qE '(^|[;&|[:space:]])git([[:space:]]+-[^[:space:]]+)*[[:space:]]+push' <<<"$command"; then
  jq -n '{hookSpecificOutput: {hookEventName: "PreToolUse", permissionDecision: "deny",
    permissionDecisionReason: "no push"}}'
fi
