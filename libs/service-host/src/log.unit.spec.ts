import { humanLine } from './human-line';
import { createLog, type LogOptions } from './log';

const canary = 'canary-value-in-the-log';

function logTo(lines: string[], more: Partial<LogOptions> = {}) {
  const base = { service: 'operator', instance: 'operator-1', incarnation: 'i-1' };
  return createLog({ base, level: 'info', format: 'json', write: (line) => void lines.push(line), ...more });
}

describe('the log', () => {
  it('writes one JSON object per line with its level, instant, executor, fields and message', () => {
    const lines: string[] = [];
    logTo(lines).warn({ operationId: 'op-1' }, 'stopped');
    expect(lines).toHaveLength(1);
    expect(lines[0]!.endsWith('\n')).toBe(true);
    expect(JSON.parse(lines[0]!)).toEqual({
      level: 'warn',
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      service: 'operator',
      instance: 'operator-1',
      incarnation: 'i-1',
      operationId: 'op-1',
      message: 'stopped',
    });
  });

  it('leaves out what is below its level', () => {
    const lines: string[] = [];
    logTo(lines).debug({}, 'detail');
    logTo(lines, { level: 'debug' }).debug({}, 'detail');
    expect(lines).toHaveLength(1);
  });

  it.each(['json', 'human'] as const)(
    'lets no secret through in %s format, neither in fields nor in the message',
    (format) => {
      const lines: string[] = [];
      const log = logTo(lines, { format, secrets: [canary] });
      const fields = {
        headers: { authorization: canary, cookie: canary },
        error: new Error(`mongodb://u:${canary}@h/`),
        extras: { a: canary },
        url: `https://u:${canary}@h/`,
        note: canary,
      };
      for (const say of [log.info, log.warn, log.error, log.fatal]) say(fields, `seen ${canary}`);
      expect(lines).toHaveLength(4);
      expect(lines.join('')).not.toContain(canary);
    },
  );

  it('begins no line and moves nothing in a terminal with what other people wrote', () => {
    const lines: string[] = [];
    const log = logTo(lines, { format: 'human' });
    const hostile = 'x\u001b[2J\u009b1A\u202e\n12:00:00.000 INFO operator paid';
    log.warn({ reason: hostile, word: '\u001b[2J', [hostile]: 1, error: new Error(hostile) }, hostile);
    const [first = '', ...rest] = lines
      .join('')
      .replaceAll(/\u001b\[\d+m/g, '')
      .trimEnd()
      .split('\n');
    expect(first.match(/\\u202e/g)).toHaveLength(4);
    expect(lines.join('')).not.toMatch(/\u001b\[2J|[\u009b\u202e]/);
    // The rows of a stack are indented, which no line of the log is.
    expect(rest.filter((row) => !row.startsWith('    '))).toEqual([]);
  });

  it('shows a person the time, level, service, message, fields and stack', () => {
    const lines: string[] = [];
    const log = logTo(lines, { format: 'human' });
    log.error({ operationId: 'op-1', reason: 'two words', error: new Error('broken') }, 'stopped');
    const plain = lines[0]!.replaceAll(/\u001b\[\d+m/g, '');
    expect(plain).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} ERROR operator stopped operationId=op-1 reason="two words" error=broken\n {4}at /,
    );
  });

  it('passes a line on that is no JSON object', () => {
    expect(humanLine('plain\n')).toBe('plain\n');
    expect(humanLine('null\n')).toBe('null\n');
  });
});
