/** A request for a deletion is acknowledged when the deletion is recorded, whatever becomes of the calls after that. */
import { silentLog } from '@platform/kernel';
import type { InboundMessage } from '@platform/messaging';
import { settle } from '@platform/testing';
import type { CallingDeletion } from '../domain/deletion';
import { onDeletionRequested } from './on-deletion-requested';

const body = {
  tenantId: 'acme',
  operationId: 'op-delete-0001',
  workspaceName: 'Acme',
  planId: 'starter',
  requestedAt: '2026-01-01T00:00:00.000Z',
};

it('a deletion that breaks is logged, and ends neither its message nor the process', async () => {
  const logged: unknown[] = [];
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', note);
  const handleMessage = onDeletionRequested({
    admit: async () => ({ kind: 'admitted', deletion: { tenantId: 'acme' } as CallingDeletion }),
    run: () => Promise.reject(new Error('a defect')),
    log: { ...silentLog, error: (fields) => void logged.push(fields) },
  });
  expect(await handleMessage({ body } as InboundMessage)).toEqual({ kind: 'ack' });
  await settle();
  process.off('unhandledRejection', note);
  expect(logged).toEqual([{ tenantId: 'acme', error: new Error('a defect') }]);
  expect(unhandled).toEqual([]);
});
