/** What others wrote, on the terminal of a person who runs a command. */
import { terminalOn } from './terminal';

describe('a terminal', () => {
  it('shows control characters and marks of direction, and obeys none', () => {
    const written: string[] = [];
    const screen = { write: (text: string) => written.push(text) };
    const { print, complain } = terminalOn({ out: screen, err: screen });
    print('\u001b[2J\u001b]0;title\u0007gift\t7\nnext');
    complain('note: \u202eevil\r');
    expect(written).toEqual(['\\u001b[2J\\u001b]0;title\\u0007gift\t7\nnext\n', 'note: \\u202eevil\\u000d\n']);
  });

  it('keeps the values of a document that a program reads', () => {
    const written: string[] = [];
    const screen = { write: (text: string) => written.push(text) };
    const document = { name: 'a\u009bb\u202e' };
    terminalOn({ out: screen, err: screen }).print(JSON.stringify(document));
    expect(JSON.parse(written.join(''))).toEqual(document);
    expect(written.join('')).not.toContain('\u009b');
  });
});
