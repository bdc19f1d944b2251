/**
 * A consumer team with its own credentials against the rest of the broker (SEC-01). The server answers to any reply
 * subject with its own rights, so each attack uses a reply subject that would delete, purge, acknowledge or forge if it
 * were heard in the platform's account. What a team must not change is compared before and after.
 */
import { connect } from '@nats-io/transport-node';
import {
  lifecycleMessageIds,
  type ConsumerReceipt,
  type LifecycleMessage,
} from '@platform/contracts-lifecycle-delivery';
import { createIds, silentLog, systemClock } from '@platform/kernel';
import { connectMessaging } from '@platform/messaging';
import { proofSize } from '@platform/testing';
import { publishReceipt } from '../../libs/interfaces/workspace-platform/src/connect/publish-receipts';
import { opsParty, serviceParties } from './permissions';
import { connectionOf, credentialsOf, passwordOf } from './sign-on.harness';
import { attack } from './teams.probe';
import { attackAsTeams, attacks, harmless, heardWhile, startBroker, stateOf, teams, topology } from './teams.harness';

const count = attacks.reduce((sum, { all }) => sum + all.length, 0);

describe(`a team on the broker, ${count} attempts with reply subjects and headers`, () => {
  it('changes no stream, no durable and no delivery of others, and is heard on its own subjects alone', async () => {
    expect(count).toBeGreaterThan(10_000);
    const broker = await startBroker();
    try {
      for (const { team, all } of [...attacks].reverse()) {
        const before = await stateOf(broker, team);
        expect(Object.keys(before).length).toBeGreaterThan(topology.streams.length);
        const heard = await heardWhile(broker, () => attack(broker.url, credentialsOf(team.user), all));
        expect([...heard].filter((subject) => !harmless(team)(subject))).toEqual([]);
        expect(heard).toContain(`tenant.receipt.${team.user}`);
        expect(await stateOf(broker, team)).toEqual(before);
      }
    } finally {
      await broker.stop();
    }
  });

  it('changes and hears nothing of others on a cluster of three either', async () => {
    const broker = await startBroker(undefined, 3);
    try {
      const { played, breaches } = await attackAsTeams(broker, proofSize({ lean: 500, full: 10_000 }));
      expect(breaches).toEqual([]);
      expect(played).toBeGreaterThanOrEqual(1_000);
    } finally {
      await broker.stop();
    }
  });

  it('is answered by the JetStream of the platform, and never by an account that has none', async () => {
    const broker = await startBroker();
    try {
      for (const { user } of teams) {
        const connection = await connect({ servers: broker.url, ...connectionOf(credentialsOf(user)) });
        for (const name of [`CONSUMER.INFO.TENANT_LIFECYCLE.${user}`, 'STREAM.INFO.KV_workspace_access']) {
          const answer = await connection.request(`$JS.API.${name}`, '', { timeout: 60_000, noMux: true });
          expect([name, answer.json()]).toEqual([
            name,
            expect.not.objectContaining({ error: expect.anything() as object }),
          ]);
        }
        await connection.close();
      }
    } finally {
      await broker.stop();
    }
  });

  it('cannot suppress a receipt of another team by using its id first', async () => {
    const broker = await startBroker();
    const [storage, other] = await Promise.all(
      teams.map(({ user }) =>
        connectMessaging({
          url: broker.url,
          name: user,
          credentials: credentialsOf(user),
          topology,
          log: silentLog,
        }),
      ),
    );
    try {
      const id = lifecycleMessageIds.receipt('operation-1', 'storage');
      const forged = { subject: 'tenant.receipt.search-index', id, type: 'tenant.receipt.v1', body: {} };
      expect(await other!.publish(forged)).toBe('acknowledged');
      const ports = { broker: storage!, clock: systemClock, ids: createIds() };
      const message = {
        tenantId: 'acme',
        operationId: 'operation-1',
        transition: 'suspended',
        requestedAt: '',
      } as const;
      const receipt: ConsumerReceipt = { receiptId: 'r-1', effectiveAt: new Date().toISOString() };
      expect(await publishReceipt(ports, 'storage', message as LifecycleMessage, receipt, {})).toBe('acknowledged');
      const { state } = await broker.jsm.streams.info('TENANT_RECEIPTS', { subjects_filter: 'tenant.receipt.storage' });
      expect(state.subjects).toEqual({ 'tenant.receipt.storage': 1 });
    } finally {
      await Promise.all([storage?.close(), other?.close()]);
      await broker.stop();
    }
  });

  it('would delete streams from an account that it shared with the platform', async () => {
    const shared = [...serviceParties, opsParty, ...teams.map((team) => ({ ...team, team: false }))];
    const broker = await startBroker(shared);
    try {
      const [first] = attacks;
      const before = await stateOf(broker, first!.team);
      const aimed = first!.all.filter(({ reply }) => reply === '$JS.API.STREAM.DELETE.CHECKOUTS');
      const heard = await heardWhile(broker, () => attack(broker.url, passwordOf(first!.team.user), aimed));
      expect([...heard]).toContain('$JS.API.STREAM.DELETE.CHECKOUTS');
      expect(Object.keys(before)).toContain('CHECKOUTS');
      expect(Object.keys(await stateOf(broker, first!.team))).not.toContain('CHECKOUTS');
    } finally {
      await broker.stop();
    }
  });
});
