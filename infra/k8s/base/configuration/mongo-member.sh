#!/bin/sh
# The server refuses a key that its group may read, as a mounted secret is: it gets a copy. The first member makes the
# administrator before it joins; the others must be empty to be taken in.
set -eu
install -m 400 /run/secrets/mongo_keyfile /tmp/mongo.key
case "$HOSTNAME" in
  *-0) exec docker-entrypoint.sh mongod --replSet rs0 --bind_ip_all --keyFile /tmp/mongo.key ;;
  *) exec mongod --replSet rs0 --bind_ip_all --keyFile /tmp/mongo.key --dbpath /data/db ;;
esac
