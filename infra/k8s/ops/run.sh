#!/bin/sh
# infra/k8s/ops/run.sh list: runs one off-line command as a job, shows what it prints and ends with its exit code. A job
# has no terminal, so what asks before it writes needs --yes. The job runs the release that is deployed: the image beside
# the gateway's, of the same registry and tag; OPS_IMAGE names another, as it must where images are pinned by digest.
set -eu
folder=$(dirname "$0")
namespace=${NAMESPACE:-workspace-platform}
job="ops-$(date -u +%Y%m%d%H%M%S)-$$"
users=ops-resolve
[ "${1:-}" = migrate ] && users=ops-migrate

# The words as a list in JSON. Tokens and proposals are files of the person who calls: they become a secret that lives as
# long as the command does, and the words name its files. A proposal that the gateway stores is named by its id.
words=
previous=
files=0
first=yes
for word in "$@"; do
  [ -n "$first" ] && set -- && first=
  case $word in *"
"*) echo 'run.sh: a word holds a line break' >&2; exit 2 ;; esac
  case "$previous $word" in "--token-file "* | "--approval-token-file "* | "--proposal "*.json)
    [ -r "$word" ] || { echo "run.sh: $word cannot be read" >&2; exit 2; }
    files=$((files + 1))
    set -- "$@" "--from-file=file-$files=$word"
    word=/run/secrets/people/file-$files
    ;;
  esac
  previous=$word
  words="$words,\"$(printf '%s' "$word" | sed 's/\\/\\\\/g; s/"/\\"/g; s/	/\\t/g')\""
done
[ -n "$words" ] || words=',"--help"'

image=${OPS_IMAGE:-}
if [ -z "$image" ]; then
  gateway=$(kubectl -n "$namespace" get statefulset operator -o 'jsonpath={.spec.template.spec.containers[0].image}')
  case $gateway in
    *@*) ;;
    */operator:*) image="${gateway%/operator:*}/ops:${gateway##*/operator:}" ;;
  esac
fi
[ -n "$image" ] || { echo 'run.sh: the image of the gateway does not name a tag; set OPS_IMAGE to that of ops' >&2; exit 2; }

people=
if [ "$files" -gt 0 ]; then
  trap 'kubectl -n "$namespace" delete secret "$job" --ignore-not-found >/dev/null' EXIT
  # A shell that a signal ends runs no EXIT trap, and the token of a person would stay in the cluster.
  left="run.sh: left before its end; job $job may go on: kubectl -n $namespace logs job/$job"
  trap 'echo "$left" >&2; exit 130' INT
  trap 'echo "$left" >&2; exit 143' TERM
  trap 'echo "$left" >&2; exit 129' HUP
  kubectl -n "$namespace" create secret generic "$job" "$@" >/dev/null
  people=",
  {\"op\": \"add\", \"path\": \"/spec/template/spec/volumes/-\", \"value\":
    {\"name\": \"people\", \"secret\": {\"secretName\": \"$job\", \"defaultMode\": 288}}},
  {\"op\": \"add\", \"path\": \"/spec/template/spec/containers/0/volumeMounts/-\", \"value\":
    {\"name\": \"people\", \"mountPath\": \"/run/secrets/people\", \"readOnly\": true}}"
fi

kubectl patch --local -f "$folder/job.yaml" --type=json -o yaml -p "[
  {\"op\": \"replace\", \"path\": \"/metadata/name\", \"value\": \"$job\"},
  {\"op\": \"replace\", \"path\": \"/spec/template/spec/volumes/0/secret/secretName\", \"value\": \"$users\"},
  {\"op\": \"replace\", \"path\": \"/spec/template/spec/containers/0/image\", \"value\": \"$image\"},
  {\"op\": \"replace\", \"path\": \"/spec/template/spec/containers/0/args\", \"value\": [${words#,}]}$people
]" | kubectl -n "$namespace" create -f - >/dev/null
kubectl -n "$namespace" logs --follow --pod-running-timeout=5m "job/$job"

# The log ends a moment before the state of the container says how.
tries=0
while [ "$tries" -lt 60 ]; do
  code=$(kubectl -n "$namespace" get pods -l "job-name=$job" \
    -o 'jsonpath={.items[0].status.containerStatuses[0].state.terminated.exitCode}')
  [ -n "$code" ] && exit "$code"
  tries=$((tries + 1))
  sleep 1
done
echo "run.sh: it is not known how job $job ended; kubectl -n $namespace describe job $job" >&2
exit 1
