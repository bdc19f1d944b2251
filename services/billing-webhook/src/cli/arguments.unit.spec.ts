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

describe('the command line for events', () => {
  it.each([
    [['list', 'webhook-events'], { kind: 'list', result: 'reconciliation_required', json: false }],
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
        request: {
          id: 'evt_1',
          outcome: 'applied',
          executorStopped: 'it was stopped',
          claims: { by: { email: 'a@b.c', tokenFile: undefined } },
        },
        yes: false,
      },
    ],
  ])('understands %j', (args, asked) => {
    expect(commandOf(...args)).toEqual(asked);
  });

  it.each([
    [['list'], 'list is followed by webhook-events'],
    [['list', 'webhook-events', '--result', 'lost'], '--result is one of'],
    [['show', 'webhook-event'], 'takes <id>'],
    [['show', 'operation', 'op'], 'show is followed by webhook-event'],
    [['show', 'webhook-event', 'a b'], 'no id of an event'],
    [['resolve', 'webhook-event', 'evt_1'], '--outcome is missing'],
    [['force', 'webhook-event', 'evt_1'], 'unknown command force'],
    [['list', 'webhook-events', '--now'], 'unknown option --now'],
    [['show', 'webhook-event', 'evt_1', '--yes'], 'does not take --yes'],
  ])('refuses %j and says what is wrong', (args, message) => {
    expect(refusalOf(args)).toContain(message);
  });
});
