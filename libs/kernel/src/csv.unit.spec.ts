import { csvFile, csvLine } from './csv';

describe('a file of comma-separated values', () => {
  it('is UTF-8 by its first bytes, by which a spreadsheet knows it', () => {
    const bytes = Buffer.from(csvFile(csvLine(['Zürich', 1])));
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect(bytes.subarray(3).toString('utf8')).toBe('Zürich,1\r\n');
  });
});
