import { terminal } from './off-line';
import { plainText } from '@platform/command-line';

describe('text for a terminal', () => {
  it.each([
    ['\u001b[2J\u001b[1;1Hno dead letter is open', '\\u001b[2J\\u001b[1;1Hno dead letter is open'],
    ['\u009b31m', '\\u009b31m'],
    ['paid \u202e00.1\u202c', 'paid \\u202e00.1\\u202c'],
    ['one\rtwo', 'one\\u000dtwo'],
    ['a line\n\tand – another ü', 'a line\n\tand – another ü'],
  ])('shows %j as it is written', (given, shown) => {
    expect(plainText(given)).toBe(shown);
  });

  it('reads back as the same JSON', () => {
    const value = { reason: '\u001b]0;x\u0007\u009b\u202e' };
    expect(JSON.parse(plainText(JSON.stringify(value)))).toEqual(value);
  });

  it('is all that an off-line command prints, draws and complains', () => {
    const written: string[] = [];
    const spies = ([process.stdout, process.stderr] as const).map((stream) =>
      jest.spyOn(stream, 'write').mockImplementation((text) => written.push(String(text)) > 0),
    );
    try {
      terminal.print('\u001b[2J');
      terminal.complain('\u001b[2J');
      terminal.draw('\u202e');
    } finally {
      spies.forEach((spy) => spy.mockRestore());
    }
    expect(written.slice(0, 2)).toEqual(['\\u001b[2J\n', '\\u001b[2J\n']);
    expect(written[2]).toContain('\\u202e');
  });
});
