#!/bin/bash
# healthy.sh [PORT PATH]: ends with 0 when the server in this container answers 200; without a port, none serves here. A
# probe runs every few seconds in each container, and starting Node for it costs more than the service itself at rest.
set -eu
port=${1:-${INNER_PORT:-${PORT:-}}}
[ -n "$port" ] || exit 0
exec 3<>"/dev/tcp/127.0.0.1/$port"
printf 'GET %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\n\r\n' "${2:-/healthz}" "$port" >&3
read -r -t 8 _ status _ <&3
[ "$status" = 200 ]
