/**
 * The local broker knows the same users as production, each with exactly its subjects, so that a forbidden subject is
 * found here first. A client that names no user is unrestricted: people and tests on this machine's loopback.
 */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LocalSettings } from './settings';

/** The user of `infra/nats/permissions.conf` that may do everything. */
export const unrestrictedUser = 'topology';

type BrokerSettings = Pick<LocalSettings, 'secrets' | 'external'>;

function passwordOf({ secrets }: BrokerSettings, user: string): string {
  return createHmac('sha256', secrets.localSecret).update(`broker user ${user}`).digest('hex');
}

/** Variables with which a part signs on; none at a broker that the environment brought along. */
export function brokerCredentials(settings: BrokerSettings, user: string): Record<string, string> {
  return settings.external.nats ? {} : { NATS_USER: user, NATS_PASSWORD: passwordOf(settings, user) };
}

/** The users for the broker's configuration file, passwords filled in. */
export function brokerUsers(settings: BrokerSettings & Pick<LocalSettings, 'root'>): string {
  const template = readFileSync(join(settings.root, 'infra/nats/permissions.conf'), 'utf8');
  const users = template.replace(
    /user: "([^"]+)", password: \$\w+/g,
    (_all, user: string) => `user: "${user}", password: "${passwordOf(settings, user)}"`,
  );
  return `${users}\nno_auth_user: "${unrestrictedUser}"`;
}
