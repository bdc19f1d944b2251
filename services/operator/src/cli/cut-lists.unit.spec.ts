/** Lists of the off-line program that hold fewer records than there are. */
import type { OfflineWork } from '@platform/durable/investigation';
import { runContradictionCommand } from './contradiction-commands';
import { runDeadLetterCommand } from './dead-letter-commands';
import { runReconcileCommand } from './reconcile-commands';

const at = new Date('2026-03-02T08:00:00.000Z');
const letter = {
  sequence: 7,
  refusedAt: at,
  stream: 'LIFECYCLE',
  durable: 'lifecycle-delivery',
  subject: 's',
  reason: 'r',
};
const contradiction = { createdAt: at, kind: 'operation', itemId: 'op-1', resolvedBy: 'ann@example.com', objects: [] };
const difference = { kind: 'effect_without_entry', tenantId: 'acme' };

const lists: readonly [string, object, (json: boolean, work: OfflineWork) => Promise<number>][] = [
  ['dead letters', letter, (json, work) => runDeadLetterCommand({ kind: 'list', json }, work)],
  ['contradictions', contradiction, (json, work) => runContradictionCommand({ kind: 'list', json }, work)],
  ['differences', difference, (json, work) => runReconcileCommand({ kind: 'list', json }, work)],
];

describe.each(lists)('a list of %s', (_what, record, list) => {
  async function shown(total: number, json: boolean): Promise<string> {
    let printed = '';
    const collection = () => ({
      find: async (_filter: object, { limit }: { limit: number }) =>
        Array(Math.min(total, limit)).fill(record) as object[],
      count: async () => total,
    });
    const terminal = { print: (text: string) => void (printed += text) };
    await list(json, { store: { collection }, terminal } as unknown as OfflineWork);
    return printed;
  }

  it('says how many there are when it is cut off, and nothing when it is whole', async () => {
    expect(await shown(101, false)).toMatch(/\n100 of 101 shown, the oldest\.$/);
    expect(await shown(100, false)).not.toContain('shown');
    expect(JSON.parse(await shown(101, true))).toMatchObject({ total: 101 });
  });
});
