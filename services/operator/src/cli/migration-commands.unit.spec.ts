import type { Terminal } from '@platform/durable/investigation';
import { Misuse, readCommandLine } from '@platform/command-line';
import { bootMigrations, createMigrationWorld, request } from '../migrations/testing/migration-world';
import { opsCommandOf } from './arguments';
import { runMigrationCommand } from './migration-commands';
import { progressLine, rateBetween } from './migration-progress';
import command from './ops.command.cjs';

function commandOf(...args: string[]) {
  const line = readCommandLine(command, args);
  const asked = line.kind === 'run' ? opsCommandOf(line) : undefined;
  if (asked?.kind !== 'migration') throw new Misuse(line.kind === 'refused' ? line.line : 'not about migrations');
  return asked.command;
}

const proofs = ['--executor-stopped', 'its host was reinstalled', '--by', 'ops@example.com'];
const tally = { succeeded: 0, failed: 0, skipped: 0, reconciliation_required: 0 };
const captured = { count: 1_000, digest: 'd', at: new Date(0) };

describe('the words of a command about migrations', () => {
  it.each<[string[], object]>([
    [['migration', 'list'], { kind: 'list', json: false }],
    [['migration', 'quiescence', 'starter'], { kind: 'quiescence', planId: 'starter' }],
    [['migration', 'watch', 'mig-00000001'], { kind: 'watch', migrationId: 'mig-00000001' }],
    [['show', 'migration', 'mig-00000001'], { kind: 'show' }],
    [['show', 'migration-item', 'mig-00000001:ws_1'], { kind: 'show_item', itemId: 'mig-00000001:ws_1' }],
    [['resolve', 'migration', 'mig-00000001', ...proofs, '--yes'], { kind: 'close', yes: true }],
    [
      [
        'resolve',
        'migration-item',
        'mig-00000001:ws_1',
        '--outcome',
        'not_applied',
        '--provider-object',
        'none',
        ...proofs,
      ],
      {
        kind: 'resolve_item',
        yes: false,
        request: { id: 'mig-00000001:ws_1', outcome: 'not_applied', providerObject: null },
      },
    ],
  ])('%j are understood', (args, asked) => expect(commandOf(...args)).toMatchObject(asked));

  it.each([
    [['migration', 'watch'], 'takes <id>'],
    [['migration', 'watch', 'short'], '8 to 64'],
    [['migration', 'force', 'mig-00000001'], 'migration is followed by'],
    [['resolve', 'migration-item', 'mig-00000001'], '<migrationId>:<tenantId>'],
    [['resolve', 'migration-item', 'mig-00000001:ws', '--outcome', 'maybe'], '--outcome'],
    [['resolve', 'migration-item', 'mig-00000001:ws', '--outcome', 'applied'], '--provider-object'],
    [['migration', 'watch', 'mig-00000001', 'more'], 'not more'],
    [['migration', 'watch', 'mig-00000001', '--force'], 'force'],
  ])('%j are refused with what is wrong', (args, message) => expect(() => commandOf(...args)).toThrow(message));
});

describe('the progress line', () => {
  it('shows share, outcomes, rate and the time that is left', () => {
    expect(progressLine({ status: 'running', captured, tally: { ...tally, succeeded: 440, skipped: 10 } }, 20)).toBe(
      `${'█'.repeat(13)}${'░'.repeat(17)}  45 %  450/1000 · 440 succeeded, 10 skipped · 20.0/s · about 28 s`,
    );
    expect(progressLine({ status: 'completed', captured: { ...captured, count: 0 }, tally }, 0)).toContain(
      '100 %  0/0',
    );
    expect(progressLine({ status: 'capturing', tally }, 0)).toBe('capturing …');
  });

  it('knows no rate before the second look', () => {
    expect(rateBetween(null, { done: 5, at: 1 })).toBe(0);
    expect(rateBetween({ done: 10, at: 1_000 }, { done: 30, at: 2_000 })).toBe(20);
  });
});

describe('the commands', () => {
  function createTerminal(answer = '') {
    const printed: string[] = [];
    const terminal: Terminal = {
      print: (text) => void printed.push(text),
      draw: (text) => void printed.push(text),
      complain: (text) => (printed.push(text), 1),
      confirmed: async (id) => id === answer,
    };
    return { terminal, output: () => printed.join('\n') };
  }
  /** Every token is accepted, and the provider uses the test world's clock. */
  const workOn = (
    { store, clock, provider }: Awaited<ReturnType<typeof createMigrationWorld>>,
    terminal: Terminal,
  ) => ({
    store,
    clock,
    terminal,
    provider,
    people: { personOf: async ({ email = '' }: { readonly email: string | undefined }) => ({ id: email, email }) },
    askExecutors: async (questions: readonly unknown[]) => questions.map(() => ({ state: 'stopped' as const })),
    providerNow: async () => clock.now(),
  });
  async function run(
    world: Awaited<ReturnType<typeof createMigrationWorld>>,
    args: readonly string[],
    answer?: string,
  ) {
    const asked = commandOf(...args);
    const { terminal, output } = createTerminal(answer);
    return { code: await runMigrationCommand(asked, workOn(world, terminal)), output: output() };
  }

  it('watch a job to its end, show what is unresolved, and end the investigation only when the id is repeated', async () => {
    const world = await createMigrationWorld(2);
    world.provider.failNext('lost_answer_after_effect');
    await bootMigrations(world, 1).submit();
    expect(await run(world, ['migration', 'watch', request.migrationId])).toMatchObject({
      code: 3,
      output: expect.stringMatching(/100 % .*reconciliation_required[\s\S]*not known/),
    });
    expect(await run(world, ['migration', 'list'])).toMatchObject({
      code: 0,
      output: expect.stringMatching(/mig-00000001 +starter → pro +reconciliation_required +2/),
    });
    expect((await run(world, ['show', 'migration', request.migrationId])).output).toContain('mig-00000001:ws-001');
    expect((await run(world, ['show', 'migration-item', 'mig-00000001:ws-001'])).output).toMatch(
      /held by mig-00000001:ws-001/,
    );
    const resolve = [
      'resolve',
      'migration-item',
      'mig-00000001:ws-001',
      '--outcome',
      'applied',
      '--provider-object',
      'sub_ws-001',
      ...proofs,
    ];
    expect(await run(world, resolve, 'no')).toMatchObject({
      code: 1,
      output: expect.stringContaining('Nothing was written'),
    });
    expect(await run(world, resolve, 'mig-00000001:ws-001')).toMatchObject({
      code: 0,
      output: expect.stringContaining('is succeeded'),
    });
    expect(await run(world, ['resolve', 'migration', request.migrationId, ...proofs, '--yes'])).toMatchObject({
      code: 0,
      output: expect.stringContaining('is completed'),
    });
    expect(await run(world, ['migration', 'watch', request.migrationId])).toMatchObject({ code: 0 });
    expect(await run(world, ['migration', 'quiescence', 'starter'])).toMatchObject({
      code: 3,
      output: expect.stringMatching(/1 +the plan is offered.*starter[\s\S]*none +workspaces on the plan/),
    });
    expect(await run(world, ['show', 'migration', 'mig-nowhere-1'])).toMatchObject({ code: 1 });
  });
});
