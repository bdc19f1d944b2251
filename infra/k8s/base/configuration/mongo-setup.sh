#!/bin/sh
# One-shot, and safe to run again at any time, also after a failover: the replica set of MONGO_MEMBERS, then a role and a
# user per service.
set -eu
mongosh --quiet --nodb /setup/connect.js /setup/replica-set.js
mongosh --quiet --nodb /setup/connect.js /setup/users.js
