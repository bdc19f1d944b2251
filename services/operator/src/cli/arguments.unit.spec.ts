import { readArguments } from './arguments';

describe('the command line of ops', () => {
  it('lists the work queue when nothing else is said', () => {
    expect(readArguments(['list'])).toEqual({ ok: true, value: { kind: 'list', status: 'reconciliation_required' } });
    expect(readArguments([])).toEqual({ ok: true, value: { kind: 'help' } });
    expect(readArguments(['evidence', 'operation', 'op-00000001'])).toEqual({
      ok: true,
      value: { kind: 'evidence', operationId: 'op-00000001' },
    });
  });

  it('verifies one exported case', () => {
    expect(readArguments(['verify', 'case', 'case.json'])).toEqual({
      ok: true,
      value: { kind: 'verify', file: 'case.json' },
    });
    expect(readArguments(['verify', 'case'])).toMatchObject({ ok: false });
  });

  it('reads a resolution with both proofs', () => {
    expect(
      readArguments([
        'resolve',
        'operation',
        'op-00000001',
        '--executor-stopped',
        'host was reinstalled',
        '--outcome',
        'applied',
        '--provider-object',
        'cbtxn_1',
        '--by',
        'a@b.c',
      ]),
    ).toEqual({
      ok: true,
      value: {
        kind: 'resolve',
        yes: false,
        request: {
          operationId: 'op-00000001',
          outcome: 'applied',
          executorStopped: 'host was reinstalled',
          providerObject: 'cbtxn_1',
          by: 'a@b.c',
        },
      },
    });
  });

  it.each([
    [['resolve', 'operation', 'op-00000001'], '--outcome'],
    [['resolve', 'operation', 'op-00000001', '--outcome', 'applied'], '--provider-object'],
    [['resolve', 'operation', 'short', '--outcome', 'applied'], 'exactly one id'],
    [['show', 'migration', 'op-00000001'], 'show takes: operation <id>'],
    [['list', '--status', 'lost'], '--status'],
    [['force', 'operation', 'op-00000001'], 'unknown command: force'],
    [['list', '--force'], 'force'],
  ])('refuses %j and says what is wrong', (args, said) => {
    const read = readArguments(args);
    expect(read.ok ? '' : read.error).toContain(said);
  });
});
