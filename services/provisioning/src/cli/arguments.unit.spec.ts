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

const proofs = [
  '--outcome',
  'applied',
  '--executor-stopped',
  'it was stopped',
  '--provider-object',
  'in_1',
  '--by',
  'a@b.c',
];

describe('the command line for attempts', () => {
  it.each([
    [['list', 'provisioning-attempts'], { kind: 'list', json: false }],
    [['show', 'provisioning-attempt', 't-1'], { kind: 'show', attemptId: 't-1' }],
    [['list', 'deletions'], { kind: 'list_deletions', json: false }],
    [['show', 'deletion', 't-1'], { kind: 'show_deletion', tenantId: 't-1' }],
    [
      ['resolve', 'deletion', 't-1', ...proofs, '--yes'],
      {
        kind: 'resolve_deletion',
        request: {
          id: 't-1',
          outcome: 'applied',
          executorStopped: 'it was stopped',
          providerObject: 'in_1',
          claims: { by: { email: 'a@b.c', tokenFile: undefined } },
        },
        yes: true,
      },
    ],
    [
      ['resolve', 'provisioning-attempt', 't-1', ...proofs],
      {
        kind: 'resolve',
        request: {
          id: 't-1',
          outcome: 'applied',
          executorStopped: 'it was stopped',
          providerObject: 'in_1',
          claims: { by: { email: 'a@b.c', tokenFile: undefined } },
        },
        yes: false,
      },
    ],
    [
      ['resolve', 'provisioning-attempt', 't-1', ...proofs.map((each) => (each === 'in_1' ? 'none' : each)), '--yes'],
      {
        kind: 'resolve',
        request: {
          id: 't-1',
          outcome: 'applied',
          executorStopped: 'it was stopped',
          providerObject: null,
          claims: { by: { email: 'a@b.c', tokenFile: undefined } },
        },
        yes: true,
      },
    ],
  ])('understands %j', (args, asked) => {
    expect(commandOf(...args)).toEqual(asked);
  });

  it.each([
    [['list'], 'list is followed by provisioning-attempts'],
    [['list', 'provisioning-attempts', 't-1'], 'takes no further word, not t-1'],
    [['show', 'provisioning-attempt'], 'takes <tenant id>'],
    [['resolve', 'provisioning-attempt', 't-1', ...proofs, '--provider-object', 'none'], 'is given twice'],
    [['show', 'operation', 'op'], 'show is followed by provisioning-attempt'],
    [['show', 'provisioning-attempt', 'a b'], 'no id of a tenant'],
    [['show', 'provisioning-attempt', 't-1', 't-2'], 'takes <tenant id>, not t-2'],
    [['resolve', 'provisioning-attempt', 't-1'], '--outcome is missing'],
    [['resolve', 'provisioning-attempt', 't-1', '--outcome', 'applied'], '--provider-object is missing'],
    [['resolve', 'provisioning-attempt', 't-1', '--outcome', 'maybe'], '--outcome is one of applied, not_applied'],
    [['force', 'provisioning-attempt', 't-1'], 'unknown command force'],
    [['list', 'provisioning-attempts', '--now'], 'unknown option --now'],
  ])('refuses %j and says what is wrong', (args, message) => {
    expect(refusalOf(args)).toContain(message);
  });
});
