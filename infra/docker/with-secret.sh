#!/bin/sh
# with-secret.sh VARIABLE FILE command…: runs the command with the file's content in the variable, for programs that read
# no secret files themselves.
set -eu
name=$1
file=$2
shift 2
export "$name=$(cat "$file")"
exec "$@"
