#!/bin/sh
# What windlass does for every step, by hand: the baseline of the `steps` figures.
#
# usage: by_hand.sh COUNT AGENT    in the user's repository
#
# The same guarantees: each decision is in a synced log before it is acted on; agent and check are
# bounded in time and stopped as a group; the agent works in a clone of its own; its files are
# recorded by an index and an object store it cannot reach; the check runs in a second, clean
# checkout of exactly those files; the commit is durable before the branch moves; the branch moves
# only from the commit that is expected; the clone follows, with a clean `git status`.
set -eu
count=$1
agent=$2
user=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Once per run. Loose objects are synced, as git can but by default does not.
git clone -q --bare --local "$user" "$work/engine.git"
git clone -q --local "$user" "$work/place"
mkdir "$work/clean"
branch=refs/heads/by-hand
base=$(git rev-parse HEAD)
git update-ref "$branch" "$base" 0000000000000000000000000000000000000000
git -C "$work/place" checkout -q -b by-hand
git config core.fsync committed
git --git-dir "$work/engine.git" config core.fsync committed
git -C "$work/place" config core.fsync none
cp "$work/place/.git/index" "$work/index"
last=$base

note() {
    printf '%s\n' "$*" >> "$work/log"
    sync -d "$work/log"
}

step=0
while [ "$step" -lt "$count" ]; do
    step=$((step + 1))
    note "s$step begins on $last"
    (
        cd "$work/place"
        WINDLASS_STEP=s$step timeout -k 10 1800 sh -c "$agent"
    )
    # The snapshot.
    GIT_INDEX_FILE=$work/index git --git-dir "$work/engine.git" --work-tree "$work/place" add -A
    tree=$(GIT_INDEX_FILE=$work/index git --git-dir "$work/engine.git" write-tree)
    note "s$step attempt ended with $tree"
    # The clean checkout, without leftovers of earlier checks, and the check in it.
    (
        cd "$work/clean"
        export GIT_INDEX_FILE="$work/clean.index" GIT_WORK_TREE="$work/clean"
        git --git-dir "$work/engine.git" read-tree --reset -u "$tree"
        git --git-dir "$work/engine.git" clean -f -f -d -q
        unset GIT_INDEX_FILE GIT_WORK_TREE
        timeout -k 10 1800 sh -c "test -s s$step.txt"
    )
    note "s$step proven"
    # The commit, in the user's repository and in the place.
    commit=$(git --git-dir "$work/engine.git" commit-tree -p "$last" -m "wip(s$step)" "$tree")
    git --git-dir "$work/engine.git" update-ref "$branch" "$commit"
    git fetch -q "$work/engine.git" "$branch"
    git update-ref "$branch" "$commit" "$last"
    git -C "$work/place" fetch -q "$work/engine.git" "$branch"
    git -C "$work/place" reset -q "$commit"
    last=$commit
    note "s$step committed as $commit"
done
