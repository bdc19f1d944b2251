import { readArguments } from './arguments';

describe('the command line for events', () => {
  it.each([
    [['list', 'webhook-events'], { kind: 'list', result: 'reconciliation_required' }],
    [['show', 'webhook-event', 'evt_1'], { kind: 'show', eventId: 'evt_1' }],
    [
      [
        'resolve',
        'webhook-event',
        'evt_1',
        '--outcome',
        'applied',
        '--executor-stopped',
        'it was stopped',
        '--by',
        'a@b.c',
      ],
      {
        kind: 'resolve',
        request: { eventId: 'evt_1', outcome: 'applied', executorStopped: 'it was stopped', by: 'a@b.c' },
        yes: false,
      },
    ],
    [[], { kind: 'help' }],
  ])('understands %j', (args, command) => {
    expect(readArguments(args)).toEqual({ ok: true, value: command });
  });

  it.each([
    ['list'],
    ['list', 'webhook-events', '--result', 'lost'],
    ['show', 'webhook-event'],
    ['show', 'operation', 'op'],
    ['show', 'webhook-event', 'a b'],
    ['resolve', 'webhook-event', 'evt_1'],
    ['force', 'webhook-event', 'evt_1'],
    ['list', 'webhook-events', '--now'],
  ])('refuses %j %j %j', (...args) => {
    expect(readArguments(args).ok).toBe(false);
  });
});
