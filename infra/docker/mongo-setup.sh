#!/bin/sh
# One-shot: the replica set, then a role and a user per service. The password goes through a file that mongosh reads,
# because arguments stand in the process list.
set -eu
umask 077
password=$(cat /run/secrets/mongo_root_password)
cat > /tmp/connect.js <<JS
db = connect('mongodb://root:${password}@mongo:27017/admin?directConnection=true&authSource=admin');
JS
mongosh --quiet --nodb /tmp/connect.js /setup/replica-set.js
mongosh --quiet --nodb /tmp/connect.js /setup/users.js
