/** Names and texts are compared by words of four bytes at both ends; what lies between must count too. */
import { encodeDoc } from './encode';
import { createRowReader, type ReadRow } from './row-reader';
import { Binary, Code, docOf, Regex, type Doc, type Value } from './values';

/** Texts of one to twenty characters, and for each place another one that differs there alone. */
const texts = Array.from({ length: 20 }, (_each, at) => 'abcdefghijklmnopqrst'.slice(0, at + 1));
const others = (text: string): string[] =>
  [...text].map((_character, at) => `${text.slice(0, at)}X${text.slice(at + 1)}`);
const read = (reader: ReadRow, document: Doc): Doc | null => {
  const row: Doc = new Map();
  return reader(encodeDoc(document), row) ? row : null;
};

describe('a reader of stored fields', () => {
  it.each(texts)('compares the text %j of a condition whole', (text) => {
    for (const accepted of [true, false]) {
      const condition = { test: () => fail('a text is compared'), text: { bytes: Buffer.from(text), accepted } };
      const reader = createRowReader([{ name: 'status', keep: false, conditions: [condition] }]);
      const accepts = (status: string): boolean => read(reader, docOf({ status })) !== null;
      expect(accepts(text)).toBe(accepted);
      for (const other of [...others(text), '', `${text}\u0000x`, `${text}a`, text.slice(1)])
        expect([other, accepts(other)]).toEqual([other, !accepted]);
    }
  });

  it.each(texts)('takes no other field for %j', (name) => {
    const reader = createRowReader([{ name, keep: true, conditions: [] }]);
    expect(read(reader, docOf({ [name]: 'own' }))?.get(name)).toBe('own');
    for (const other of [...others(name), `${name}a`])
      expect([other, read(reader, docOf({ [other]: 'other', z: 'last' }))?.get(name)]).toEqual([other, undefined]);
  });
});

describe('the shortest value of each type', () => {
  it.each<[string, Value]>([
    ['a text', ''],
    ['a document', docOf({})],
    ['a list', []],
    ['bytes', new Binary(0, Buffer.alloc(0))],
    ['a regular expression', new Regex('', '')],
    ['code', new Code('')],
    ['code with a scope', new Code('', docOf({}))],
  ])('is read at the end of a document, and passed over there: %s', (_type, value) => {
    const document = docOf({ v: value });
    for (const name of ['v', 'w'])
      expect(read(createRowReader([{ name, keep: true, conditions: [] }]), document)?.get(name)).toEqual(
        name === 'v' ? value : undefined,
      );
  });
});

const fail = (what: string): never => {
  throw new Error(what);
};
