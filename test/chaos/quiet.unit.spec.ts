/** A run is quiescent when nothing moves any more; what waits for a person may wait. */
import type { GatewayClient } from '../../infra/local/demo/gateway-client';
import { untilQuiet } from './quiet';

type Operation = { status: string; action?: string; executorState?: string };

/** The gateway's lists: one operation, and the state of the deletion of its workspace. */
const gatewayOf = ({ status, action = 'credit_customer', executorState }: Operation, deletion?: string) => ({
  get: (async (path: string) => {
    const body = path.startsWith('/api/saas/operations?')
      ? { operations: [{ status, action, tenantId: 't1', attempts: executorState ? [{ executorState }] : [] }] }
      : { items: path.includes('kind=deletion&tenantId=t1') && deletion ? [{ state: deletion }] : [] };
    return { status: 200, headers: new Headers(), body };
  }) as unknown as GatewayClient['get'],
});

describe('a run', () => {
  it.each([
    ['an operation has ended', { status: 'succeeded' }, undefined, true],
    ['a living executor runs an operation', { status: 'running', executorState: 'alive' }, undefined, false],
    ['an operation was left by a dead executor', { status: 'running', executorState: 'not_proven' }, undefined, true],
    ['a suspension waits for receipts', { status: 'awaiting_receipts', action: 'suspend' }, undefined, false],
    ['a deletion waits for listeners', { status: 'awaiting_receipts', action: 'delete_workspace' }, 'running', false],
    ['a listener refused a deletion', { status: 'awaiting_receipts', action: 'delete_workspace' }, 'stopped', true],
    ['the caller of listeners died', { status: 'awaiting_receipts', action: 'delete_workspace' }, 'interrupted', true],
  ])('of which %s is quiescent or not', async (_of, operation, deletion, quiet) => {
    expect(await untilQuiet(gatewayOf(operation, deletion), 1)).toBe(quiet);
  });
});
