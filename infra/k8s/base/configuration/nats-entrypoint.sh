#!/bin/sh
# The users of permissions.conf name their passwords as variables, which a file must define itself: the secret goes before
# the permissions, in a copy that lives in memory.
set -eu
umask 077
mkdir -p /tmp/nats
cp /etc/nats/nats.conf /tmp/nats/nats.conf
cat /run/secrets/nats_passwords /etc/nats/permissions.conf > /tmp/nats/permissions.conf
exec nats-server --config /tmp/nats/nats.conf
