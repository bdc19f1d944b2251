/**
 * No dead ends: every status of every record has a legal way to an end that needs no process which may be gone, and
 * every reachable state of a workspace has one back to order. Exceptions are listed with their reasons, and the lists
 * are exact: a repaired or added state fails here.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { tenantStates, type OperationAction, type TenantState } from '@platform/contracts-operator';
import offlineCommands from '../../infra/ops/ops.command.cjs';
import { deadEnds, impossibleWays, records, type RecordModel } from './dead-ends';
import { files, text } from './tree';
import {
  exploreWorkspaces,
  happens,
  isInOrder,
  nameOf,
  withoutWayTo,
  type Found,
  type WorkspaceState,
} from './workspace-states';

const root = resolve(__dirname, '../..');

describe.each(Object.entries(records))('the record: %s', (_name, record) => {
  it('has a way to an end from every status that it can be in', () => {
    expect(deadEnds(record)).toEqual([]);
  });

  it('names no way that its table refuses', () => {
    expect(impossibleWays(record)).toEqual([]);
  });

  it('is ended by commands that exist and by code that exists', () => {
    for (const way of Object.values(record.ways).flat()) {
      if ('command' in way) expect(Object.keys(offlineCommands.commands)).toContain(way.command);
      else {
        const [file = '', name = ''] = way.code.split('#');
        expect([way.code, readFileSync(join(root, file), 'utf8').includes(`export async function ${name}(`)]).toEqual([
          way.code,
          true,
        ]);
      }
    }
  });
});

describe('the model of the records', () => {
  it('has every record with a table of steps', () => {
    const declared = files()
      .filter((file) => file.startsWith('services/') && file.endsWith('.ts') && !file.endsWith('.spec.ts'))
      .filter((file) => /= defineSteps</.test(text(file)));
    expect(declared.length).toBe(Object.keys(records).length);
  });

  it('uses every step by a recorded resolution that a table has', () => {
    for (const [name, { table, ways }] of Object.entries(records))
      for (const [from, { byResolution = [] }] of Object.entries(table))
        for (const to of byResolution)
          expect([name, from, to, (ways[from] ?? []).some((way) => 'command' in way && way.to === to)]).toEqual([
            name,
            from,
            to,
            true,
          ]);
  });

  const { delivery } = records as Readonly<Record<string, RecordModel>> & { readonly delivery: RecordModel };
  it.each<[string, RecordModel, string]>([
    [
      'a status without exit',
      { ...delivery, table: { ...delivery.table, failed: { to: ['failed', 'parked'] }, parked: { to: ['parked'] } } },
      'parked',
    ],
    ['a status that only its executor could leave', { ...delivery, ways: { ...delivery.ways, failed: [] } }, 'failed'],
    [
      'two statuses that lead to each other',
      {
        table: { on: { to: ['off'] }, off: { to: ['on', 'gone'] }, gone: { to: [] } },
        begins: ['on'],
        ways: { on: [{ to: 'off', code: '' }], off: [{ to: 'on', code: '' }] },
      },
      'on',
    ],
  ])('fails for %s', (_what, broken, dead) => {
    expect(deadEnds(broken)).toContain(dead);
  });

  it('fails for a waiver that the table does not have', () => {
    const { table } = delivery;
    const without = { ...delivery, table: { ...table, pending: { to: table['pending']?.to ?? [] } } };
    expect(impossibleWays(without)).toEqual(['pending → waived by waive delivery']);
  });
});

/** Why access is open although the reason for it has ended; null when this is not the case. */
function overdue({ access, status, grant }: WorkspaceState): string | null {
  if (access === 'closed') return null;
  if (grant === 'over') return 'free access until a date is over';
  return status === 'cancelled' ? 'the subscription has ended' : null;
}

/**
 * States in the table that the search does not reach: it uses one plan, and its mirror is never behind the provider.
 */
const onlyElsewhere: Partial<Readonly<Record<TenantState, readonly OperationAction[]>>> = {
  active: ['record_subscription_end'],
  ending: ['record_subscription_end'],
  changing_later: ['change_plan_later', 'record_plan_change'],
};

describe('a workspace', () => {
  let found: ReadonlyMap<string, Found>;
  beforeAll(async () => {
    found = await exploreWorkspaces();
    process.stdout.write(
      `workspace states: ${found.size}, steps tried: ${[...found.values()].reduce((sum, { next }) => sum + next.size, 0)}\n`,
    );
  });

  it('comes to each of the situations that decide', () => {
    const states = [...found.values()].map(({ state }) => state);
    const seen = (part: Partial<WorkspaceState>): boolean =>
      states.some((state) =>
        Object.entries(part).every(([key, value]) => state[key as keyof WorkspaceState] === value),
      );
    for (const part of [
      { status: 'suspended', provider: 'runs' },
      { status: 'suspended', provider: 'ended' },
      { status: 'suspended', plan: 'complimentary' },
      { status: 'cancelled' },
      { held: 'checkout' },
      { cancels: true, access: 'closed' },
      { changes: true, access: 'closed' },
      { grant: 'running' },
      { grant: 'over' },
      { plan: 'free' },
    ] as const)
      expect([part, seen(part)]).toEqual([part, true]);
    expect(found.size).toBeGreaterThan(15);
  });

  it('finds back to order from every state', () => {
    const dead = withoutWayTo(found, isInOrder, () => true).filter(({ deleted }) => !deleted);
    expect(dead).toEqual([]);
  });

  it('is led out by people wherever no session at the provider decides', () => {
    const stuck = withoutWayTo(found, isInOrder, (step) => !happens(step)).filter(
      ({ held, deleted }) => held !== 'checkout' && !deleted,
    );
    expect(stuck).toEqual([]);
  });

  it('stays open past the end of its reason only while a checkout holds it, which ends by itself', () => {
    const open = [...found.values()].map(({ state }) => state).filter((state) => overdue(state) !== null);
    expect([...new Set(open.map(({ held }) => held))]).toEqual(['checkout']);
  });

  it('can be deleted from every state that no operation holds, and is closed for good then', () => {
    const states = [...found.values()];
    for (const { state, next } of states)
      if (state.held === null && !state.deleted)
        expect([nameOf(state), found.get(next.get('delete_workspace') ?? '')?.state.deleted]).toEqual([
          nameOf(state),
          true,
        ]);
    const deleted = states.filter(({ state }) => state.deleted);
    expect(deleted.length).toBeGreaterThan(0);
    expect(deleted.filter(({ state }) => state.access === 'open')).toEqual([]);
    for (const { next } of deleted)
      expect([...next.values()].filter((to) => !found.get(to)?.state.deleted)).toEqual([]);
  });

  it('is in each row of the table of tenant states as the table says', () => {
    const rows = new Map<TenantState, Set<string>>();
    for (const { state, row, offered } of found.values()) {
      expect([nameOf(state), row, state.access]).toEqual([
        nameOf(state),
        row,
        tenantStates[row].access === 'open' ? 'open' : 'closed',
      ]);
      rows.set(row, new Set([...(rows.get(row) ?? []), ...offered]));
    }
    for (const [row, actions] of Object.entries(onlyElsewhere))
      for (const action of actions) rows.get(row as TenantState)?.add(action);
    const drawn = [...rows].map(([row, offered]) => [row, [...offered].sort()]);
    expect(drawn).toEqual([...rows.keys()].map((row) => [row, [...tenantStates[row].actions].sort()]));
  });

  it('is offered no action that can only fail', () => {
    const failing = [...found.values()].flatMap(({ state, offered, ended }) =>
      offered
        .filter((action) => ended.get(action) !== 'succeeded' && ended.get(action) !== 'awaiting_receipts')
        .map((action) => `${action} in ${nameOf(state)}: ${ended.get(action)}`),
    );
    expect(failing).toEqual([]);
  });

  it('would be a dead end without reactivation', () => {
    const dead = withoutWayTo(found, isInOrder, (step) => step !== 'reactivate').map(nameOf);
    const suspended = [...found.values()].filter(({ state }) => state.status === 'suspended');
    expect(suspended.length).toBeGreaterThan(4);
    for (const { state } of suspended) expect(dead).toContain(nameOf(state));
  });
});
