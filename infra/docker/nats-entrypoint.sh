#!/bin/sh
# Puts the broker's configuration together and keeps it true. The users of permissions.conf name their passwords as
# variables, which a file must define itself, and a route's address holds its password: secrets go into copies that live in
# memory. When a certificate, a password or the configuration changes, the copies are made again and the broker reads them:
# connections stay, new ones meet what is new.
set -eu
umask 077
configuration=${NATS_CONFIGURATION:-/etc/nats}
passwords=${NATS_PASSWORDS:-/run/secrets/nats_passwords}
certificates=${NATS_CERTIFICATES:-/run/certificates}
copies=${NATS_COPIES:-/tmp/nats}

put_together() {
  # Of a member of a cluster; a single broker has none.
  routes=$(cat "$certificates/routes/password" 2>/dev/null) || routes=
  mkdir -p "$copies"
  sed "s|ROUTES_PASSWORD|$routes|" "$configuration/nats.conf" > "$copies/nats.conf"
  cat "$passwords" "$configuration/permissions.conf" > "$copies/permissions.conf"
}

state() {
  cat "$passwords" "$configuration"/*.conf "$certificates"/*/* 2>/dev/null | cksum
}

put_together
broker=$$
(
  before=$(state)
  while sleep "${NATS_LOOK_SECONDS:-30}"; do
    kill -0 "$broker" 2>/dev/null || exit 0
    now=$(state)
    [ "$now" = "$before" ] && continue
    put_together && kill -HUP "$broker" && before=$now
  done
) &
exec "${NATS_SERVER:-nats-server}" --config "$copies/nats.conf"
