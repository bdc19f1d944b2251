/**
 * How much a team can fill: every stream that it may write has limits, and a team alone reaches none that others share
 * (SEC-13).
 */
import { platformTopology } from '@platform/messaging';
import { consumerParty, opsParty, serviceParties } from './permissions';
import { asVariables, permissionsFile, publishesOf } from './permissions.file';

const topology = platformTopology();
const team = consumerParty('storage');

const takes = (pattern: string, subject: string): boolean => {
  const [wanted, said] = [pattern.split('.'), subject.split('.')];
  return wanted.every((part, at) => part === '>' || part === '*' || part === said[at]) && wanted.length <= said.length;
};
const written = topology.streams.filter(({ subjects }) =>
  publishesOf(team, topology).some((subject) => subjects.some((pattern) => takes(pattern, subject))),
);

describe('a stream that a team may write', () => {
  it('is one of receipts or of dead letters', () => {
    expect(written.map(({ name }) => name).sort()).toEqual(['DEAD_LETTERS', 'TENANT_RECEIPTS']);
  });

  it.each(written.map((stream) => [stream.name, stream] as const))(
    '%s bounds bytes, messages of each subject, their size and their age, and one team fills no more than its part',
    (_name, { maxBytes, maxMessagesPerSubject, maxMessageBytes, maxAgeSeconds }) => {
      expect([maxBytes, maxMessagesPerSubject].map((each) => typeof each)).toEqual(['number', 'number']);
      expect(maxAgeSeconds).toBeLessThanOrEqual(30 * 86_400);
      // Each team has one subject in each stream, so its flood displaces its own messages and no other team's.
      expect(maxMessagesPerSubject! * maxMessageBytes).toBeLessThan(maxBytes! * 0.7);
    },
  );
});

describe('every stream', () => {
  it('is bounded in bytes, and all of them fit on the disk of the manifests', () => {
    const reserved = topology.streams.map(({ maxBytes }) => maxBytes);
    expect(Math.min(...reserved)).toBeGreaterThan(0);
    expect(reserved.reduce((sum, bytes) => sum + bytes)).toBeLessThan(0.75 * 20 * 2 ** 30);
  });
});

describe('the account of a team', () => {
  it('holds few connections and subscriptions, and sends nothing larger than a dead letter', () => {
    const file = permissionsFile([...serviceParties, opsParty, team], topology, asVariables);
    const largest = Math.max(...written.map(({ maxMessageBytes }) => maxMessageBytes));
    expect(file).toContain(`limits: { max_connections: 64, max_subscriptions: 1000, max_payload: ${largest} }`);
    const [platform = '', ownAccount = ''] = file.split('"TEAM_storage" {');
    expect([platform.includes('limits:'), ownAccount.includes('limits:')]).toEqual([false, true]);
  });
});
