#!/bin/sh
# with-secret.sh VARIABLE FILE command…: runs the command with the file's content in the variable, for programs that read
# no secret files themselves. Ends with 78 (configuration) when there is no such content: a command must not go on with an
# empty password.
set -eu
name=$1
file=$2
shift 2
value=$(cat "$file") || value=
if [ -z "$value" ]; then
  echo "with-secret.sh: $file holds no secret for $name that this user may read" >&2
  exit 78
fi
export "$name=$value"
exec "$@"
