import { wantsCsv } from './csv-page';

describe('a list as comma-separated values', () => {
  it.each([
    ['text/csv', true],
    ['TEXT/CSV; charset=utf-8', true],
    ['text/csv, application/json', true],
    ['application/json;q=0.5, text/csv;q=0.9', true],
    ['text/csv, */*;q=0.1', true],
    ['text/csv;q=0.5, application/*;q=0.2', true],
    ['text/csv;q=0', false],
    ['text/csv;q=0.000, */*', false],
    ['application/json, text/csv;q=0.1', false],
    ['*/*, text/csv;q=0.1', false],
    ['application/*, text/csv;q=0.1', false],
    ['text/csv;q=many', false],
    ['text/csvx', false],
    ['text/*', false],
    ['*/*', false],
    ['', false],
    [undefined, false],
  ])('is what the header %j asks for: %s', (accept, wanted) => {
    expect(wantsCsv(undefined, accept)).toBe(wanted);
  });

  it('is what the query parameter says, whatever the header does', () => {
    expect([wantsCsv('csv', 'text/csv;q=0'), wantsCsv('json', 'text/csv')]).toEqual([true, false]);
  });
});
