import { csvLine } from './csv';
import { counted, shownText } from './text';

describe('a cell for a spreadsheet', () => {
  it.each([
    ['=HYPERLINK(1)', "'=HYPERLINK(1)"],
    ['  @SUM(1)', "'  @SUM(1)"],
    ['\uff1dHYPERLINK(1)', "'\uff1dHYPERLINK(1)"],
    ['paid;=HYPERLINK(1)', "paid;'=HYPERLINK(1)"],
    ['paid\t+1', "paid\t'+1"],
    ['two\n-1 lines', `"two\n'-1 lines"`],
    ['two\r\n=1 lines', `"two\r\n'=1 lines"`],
    ['paid;\n \t @SUM(1)', `"paid;\n \t' @SUM(1)"`],
    ['a-b, 1 = 1', '"a-b, 1 = 1"'],
  ])('runs no formula of %j, in any locale', (text, cell) => {
    expect(csvLine([text])).toBe(`${cell}\r\n`);
  });

  it('leaves numbers as they are', () => {
    expect(csvLine([-5, null, 'x'])).toBe('-5,,x\r\n');
  });
});

describe('a text for other people', () => {
  it.each(['Acme \u202elive', 'a\u2067b', 'bell\u0007', '\u001b[2Jgone', 'nel\u0085', 'half \ud83d'])(
    'is not %j',
    (text) => {
      expect(shownText.test(text)).toBe(false);
    },
  );

  it.each([
    '',
    'Zo\u00eb & S\u00f6hne',
    '\u05d0\u05d1 Ltd',
    '\u0634\u0631\u0643\u0629',
    'two\nlines\tand a tab',
    '\u{1f600}',
  ])('may be %j', (text) => {
    expect(shownText.test(text)).toBe(true);
  });

  it('is judged at once, however long it is', () => {
    expect(shownText.test(`${'a\n'.repeat(100_000)}\u202e`)).toBe(false);
  });
});

describe('a count with its noun', () => {
  it.each([
    [0, '0 workspaces'],
    [1, '1 workspace'],
    [2, '2 workspaces'],
  ])('of %i is %s', (count, text) => expect(counted(count, 'workspace')).toBe(text));
});
