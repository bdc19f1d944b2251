import { readArguments } from './arguments';

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
    [['list', 'provisioning-attempts'], { kind: 'list' }],
    [['show', 'provisioning-attempt', 't-1'], { kind: 'show', attemptId: 't-1' }],
    [
      ['resolve', 'provisioning-attempt', 't-1', ...proofs],
      {
        kind: 'resolve',
        request: {
          attemptId: 't-1',
          outcome: 'applied',
          executorStopped: 'it was stopped',
          providerObject: 'in_1',
          by: 'a@b.c',
        },
        yes: false,
      },
    ],
    [
      ['resolve', 'provisioning-attempt', 't-1', ...proofs, '--provider-object', 'none', '--yes'],
      {
        kind: 'resolve',
        request: {
          attemptId: 't-1',
          outcome: 'applied',
          executorStopped: 'it was stopped',
          providerObject: null,
          by: 'a@b.c',
        },
        yes: true,
      },
    ],
    [[], { kind: 'help' }],
  ])('understands %j', (args, command) => {
    expect(readArguments(args)).toEqual({ ok: true, value: command });
  });

  it.each([
    [['list']],
    [['list', 'provisioning-attempts', 't-1']],
    [['show', 'provisioning-attempt']],
    [['show', 'operation', 'op']],
    [['show', 'provisioning-attempt', 'a b']],
    [['show', 'provisioning-attempt', 't-1', 't-2']],
    [['resolve', 'provisioning-attempt', 't-1', '--outcome', 'applied']],
    [['resolve', 'provisioning-attempt', 't-1', '--outcome', 'maybe', '--provider-object', 'none']],
    [['force', 'provisioning-attempt', 't-1']],
    [['list', 'provisioning-attempts', '--now']],
  ])('refuses %j', (args) => {
    expect(readArguments(args).ok).toBe(false);
  });
});
