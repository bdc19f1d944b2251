/** The credentials of a test broker's users: services with a password, teams with a key, each derived from the name. */
import { createHash } from 'node:crypto';
import type { ConnectionOptions } from '@nats-io/transport-node';
import type { BrokerCredentials } from '@platform/messaging';
import { signOn } from '@platform/messaging/testing';
import { opsParty, serviceParties } from './permissions';
import type { SignOn } from './permissions.file';
import { createSeed, keysText, publicKeyOf } from '@platform/messaging/nkey';

const ofThePlatform = new Set(['topology', opsParty.user, ...serviceParties.map(({ user }) => user)]);

/** The seed of a team's key in tests; `nth` selects another one of the same team. */
export const seedOf = (team: string, nth = 0): string =>
  createSeed(createHash('sha256').update(`seed ${nth} of ${team}`).digest());

export const testSignOn: SignOn = {
  passwordOf: (user) => JSON.stringify(`secret-of-${user}`),
  keysOf: (team) => keysText([publicKeyOf(seedOf(team))]),
};

/** The credentials of a user at a broker with `testSignOn`. A name that does not belong to the platform is a team's. */
export function credentialsOf(user: string): BrokerCredentials {
  return ofThePlatform.has(user) ? passwordOf(user) : { user, seed: seedOf(user) };
}

/** For a user that a test itself adds to the broker. */
export const passwordOf = (user: string) => ({ user, password: `secret-of-${user}` });

/** Connection options of the bare client. */
export function connectionOf(credentials: BrokerCredentials): ConnectionOptions {
  return { ...signOn(credentials), inboxPrefix: `_INBOX_${credentials.user}` };
}
