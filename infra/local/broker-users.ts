/**
 * The local broker has the same users as production, each with exactly its subjects, so a forbidden subject is found
 * here first. A client without a user is unrestricted: people and tests on this machine's loopback.
 */
import { createHmac } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createSeed, keysText, keysVariable, publicKeyOf, seedFile } from '@platform/messaging/nkey';
import type { LocalSettings } from './settings';

/** The user of `infra/nats/permissions.conf` that may do everything. */
export const unrestrictedUser = 'topology';

type BrokerSettings = Pick<LocalSettings, 'secrets' | 'external' | 'localDir'>;

function passwordOf({ secrets }: BrokerSettings, user: string): string {
  return createHmac('sha256', secrets.localSecret).update(`broker user ${user}`).digest('hex');
}

/** The variables with which a part signs on; none at a broker that the environment supplies. */
export function brokerCredentials(settings: BrokerSettings, user: string): Record<string, string> {
  return settings.external.nats ? {} : { NATS_USER: user, NATS_PASSWORD: passwordOf(settings, user) };
}

/** A seed per folder, derived from the variable's name, which is all that the file contains about a team. */
function seedOf({ secrets }: BrokerSettings, variable: string): string {
  return createSeed(createHmac('sha256', secrets.localSecret).update(`broker key ${variable}`).digest());
}

/** The same for a consumer team, which signs on with a key. */
export function teamCredentials(settings: BrokerSettings, team: string): Record<string, string> {
  if (settings.external.nats) return {};
  const file = join(settings.localDir, 'consumers', seedFile(team));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${seedOf(settings, keysVariable(team))}\n`, { mode: 0o600 });
  return { NATS_USER: team, NATS_SEED_FILE: file };
}

/** The users for the broker's configuration file, with passwords and public keys filled in. */
export function brokerUsers(settings: BrokerSettings & Pick<LocalSettings, 'root'>): string {
  const template = readFileSync(join(settings.root, 'infra/nats/permissions.conf'), 'utf8');
  const users = template
    .replace(
      /user: "([^"]+)", password: \$\w+/g,
      (_all, user: string) => `user: "${user}", password: "${passwordOf(settings, user)}"`,
    )
    .replace(/\$(NATS_KEYS_\w+)/g, (_all, variable: string) => keysText([publicKeyOf(seedOf(settings, variable))]));
  return `${users}\nno_auth_user: "${unrestrictedUser}"`;
}
