import { Misuse, readCommandLine } from '@platform/command-line';
import { opsCommandOf } from './arguments';
import command from './ops.command.cjs';

const commandOf = (...args: string[]) => {
  const line = readCommandLine(command, args);
  return line.kind === 'run' ? opsCommandOf(line) : line;
};

/** The reason of the refusal, or nothing. */
function refusalOf(args: readonly string[]): string {
  try {
    const line = readCommandLine(command, args);
    if (line.kind === 'run') opsCommandOf(line);
    return line.kind === 'refused' ? line.line : '';
  } catch (error) {
    return error instanceof Misuse ? error.message : '';
  }
}

describe('the command line of ops', () => {
  it('lists the work queue when nothing else is said', () => {
    expect(commandOf('list')).toEqual({ kind: 'list', status: 'reconciliation_required', json: false });
    expect(commandOf()).toMatchObject({ kind: 'help' });
    expect(commandOf('evidence', 'operation', 'op-00000001')).toEqual({ kind: 'evidence', operationId: 'op-00000001' });
  });

  it('verifies one exported case', () => {
    expect(commandOf('verify', 'case', 'case.json')).toEqual({ kind: 'verify', file: 'case.json' });
    expect(commandOf('verify', 'case')).toMatchObject({ kind: 'refused' });
  });

  it('reads a resolution with both proofs', () => {
    expect(
      commandOf(
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
      ),
    ).toEqual({
      kind: 'resolve',
      yes: false,
      request: {
        id: 'op-00000001',
        executorStopped: 'host was reinstalled',
        outcome: 'applied',
        providerObject: 'cbtxn_1',
        claims: { by: { email: 'a@b.c', tokenFile: undefined } },
      },
    });
  });

  it.each([
    [['resolve', 'operation', 'op-00000001'], '--outcome'],
    [['resolve', 'operation', 'op-00000001', '--outcome', 'applied'], '--provider-object'],
    [['resolve', 'operation', 'short', '--outcome', 'applied'], 'an operation id has'],
    [['show', 'workspace', 'acme'], 'show is followed by operation'],
    [['show', 'operation', 'op-00000001', 'more'], 'takes <id>, not more'],
    [['list', '--status', 'lost'], '--status'],
    [['force', 'operation', 'op-00000001'], 'unknown command force'],
    [['list', '--force'], 'unknown option --force'],
    [['list', '--outcome', 'applied'], 'list does not take --outcome'],
  ])('refuses %j and says what is wrong', (args, message) => {
    expect(refusalOf(args)).toContain(message);
  });
});
