/** What a first request reads beside the record of its operation. */
import { running, workspace } from '../testing/action-fixtures';
import type { OperatorPorts } from './ports';
import { readAhead } from './read-ahead';

const upgrade = { ...running('upgrade_plan'), operationId: 'op-00000001', tenantId: 'acme', values: { planId: 'pro' } };

function reading(found: ReturnType<typeof workspace> | null | Error, guess: string | undefined = 'starter') {
  const read: string[] = [];
  const met: string[] = [];
  const answer = async <T>(id: string, value: T): Promise<T> => {
    read.push(id);
    if (found instanceof Error) throw found;
    return value;
  };
  const ports = {
    subscriptions: { findById: (id: string) => answer(id, found) },
    plans: { findById: (id: string) => answer(id, { _id: id }) },
    known: { met: ({ _id }: { readonly _id: string }) => void met.push(_id), planOf: () => guess },
  } as unknown as OperatorPorts;
  return { ports, read, met };
}

describe('reading ahead', () => {
  it('begins with the workspace and both plans at once, and reads none of them twice', async () => {
    const { ports, read, met } = reading(workspace());
    const ahead = readAhead(ports, upgrade);
    expect(read).toEqual(['acme', 'starter', 'pro']);
    expect(await ahead.subscription).toMatchObject({ _id: 'acme' });
    expect([await ahead.plans.findById('starter'), await ahead.plans.findById('pro')]).toEqual([
      { _id: 'starter' },
      { _id: 'pro' },
    ]);
    expect(read).toHaveLength(3);
    expect(met).toEqual(['acme']);
  });

  it('reads a plan later that was not guessed, and one that is named twice only once', async () => {
    const { ports, read } = reading(workspace(), 'pro');
    const ahead = readAhead(ports, upgrade);
    expect(read).toEqual(['acme', 'pro']);
    expect(await ahead.plans.findById('starter')).toEqual({ _id: 'starter' });
    expect(read).toEqual(['acme', 'pro', 'starter']);
  });

  it('meets no workspace that does not exist', async () => {
    const { ports, met } = reading(null);
    expect(await readAhead(ports, upgrade).subscription).toBeNull();
    expect(met).toEqual([]);
  });

  it('leaves the failure of a read to the decision that needs it', async () => {
    const down = new Error('down');
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', note);
    try {
      const ahead = readAhead(reading(down).ports, upgrade);
      await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).toEqual([]);
      await expect(ahead.subscription).rejects.toBe(down);
      await expect(ahead.plans.findById('pro')).rejects.toBe(down);
    } finally {
      process.off('unhandledRejection', note);
    }
  });
});
