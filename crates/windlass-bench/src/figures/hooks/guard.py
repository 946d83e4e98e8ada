# The guard as a script in Python. argv[1] is the file with the run's state, argv[2] the event.
import json
import os
import re
import sys

call = json.load(sys.stdin)
try:
    with open(sys.argv[1]) as file:
        state = json.load(file)
except FileNotFoundError:
    sys.exit(0)
if state["status"] == "completed":
    sys.exit(0)
if sys.argv[2] == "stop":
    if not os.path.exists(state["file"]):
        state["blocks"] += 1
        with open(sys.argv[1] + ".new", "w") as file:
            json.dump(state, file)
        os.replace(sys.argv[1] + ".new", sys.argv[1])
        print(json.dumps({"decision": "block", "reason": state["instruction"]}))
    sys.exit(0)
command = call.get("tool_input", {}).get("command", "")
if re.search(r"(^|[;&|\s])git(\s+-\S+)*\s+push", command):
    decision = {"hookEventName": "PreToolUse", "permissionDecision": "deny"}
    print(json.dumps({"hookSpecificOutput": {**decision, "permissionDecisionReason": "no push"}}))
