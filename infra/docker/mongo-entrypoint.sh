#!/bin/sh
# A replica set whose members authenticate each other needs its key in a file that only the server's user may read; a
# mounted secret has other owners. Then the image's own entry point takes over and makes the administrator.
set -eu
install -m 400 -o mongodb -g mongodb /run/secrets/mongo_keyfile /tmp/mongo.key
exec docker-entrypoint.sh mongod --replSet rs0 --bind_ip_all --keyFile /tmp/mongo.key
