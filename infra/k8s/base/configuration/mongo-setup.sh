#!/bin/sh
# Signs on to the first member, whose entry point has made the administrator; makes the set when there is none, then a role
# and a user per service. The password goes through a file, because arguments stand in the process list.
set -eu
umask 077
password=$(cat /run/secrets/mongo_root_password)
cat > /tmp/connect.js <<JS
db = connect('mongodb://root:${password}@mongo-0.mongo:27017/admin?directConnection=true&authSource=admin');
JS
mongosh --quiet --nodb /tmp/connect.js /setup/replica-set.js
mongosh --quiet --nodb /tmp/connect.js /setup/users.js
