import {
  beginningKey,
  beginsLike,
  isNear,
  nearKeys,
  searchKeysOf,
  searchLimits,
  wordsIn,
  wordsOf,
} from './search-keys';

const workspace = {
  _id: 'fleet-7',
  workspaceName: 'Müller & Søhne Logistik',
  owner: { email: 'Ann.Lee@globex.example' },
  provider: { customerId: 'cus_Abc123', subscriptionId: 'sub_Xyz789' },
};
const shares = (a: readonly string[], b: readonly string[]) => a.some((key) => b.includes(key));

describe('the words of a workspace', () => {
  it('are folded to lower case without accents, each once', () => {
    expect(wordsIn('Müller  MULLER', 'É-é')).toEqual(['muller', 'e']);
    expect(wordsOf(workspace)).toEqual([
      ...['muller', 'søhne', 'logistik', 'ann', 'lee', 'globex', 'example', 'fleet', '7'],
      ...['cus', 'abc123', 'sub', 'xyz789'],
    ]);
  });

  it('are limited, whatever the name', () => {
    const wordy = Array.from({ length: 50 }, (_, at) => `word${at}andmuchmore`).join(' ');
    const { length } = searchKeysOf({ ...workspace, workspaceName: wordy });
    expect(length).toBeLessThanOrEqual(searchLimits.wordsPerWorkspace * (2 * searchLimits.keyCharacters + 1));
  });
});

describe('the keys of a workspace', () => {
  it.each(['m', 'mul', 'muller', 'logistik', 'ann', 'globex', 'cus', 'abc1', 'xyz789', '7', 'fleet'])(
    'hold the one that "%s" is looked up by',
    (word) => expect(searchKeysOf(workspace)).toContain(beginningKey(word)),
  );

  it.each(['globx', 'globbex', 'glovex', 'golbex', 'logistk', 'lgoistik', 'mullre', 'fleat'])(
    'share one with "%s", which has one mistake',
    (word) => {
      expect(shares(searchKeysOf(workspace), nearKeys(word))).toBe(true);
      expect(isNear([word], workspace)).toBe(true);
      expect(beginsLike([word], workspace)).toBe(false);
    },
  );

  it.each(['glox', 'glbx', 'xyz788', 'lea', 'ano', 'logisitck'])('do not make "%s" near', (word) =>
    expect(isNear([word], workspace)).toBe(false),
  );
});

describe('a search', () => {
  it('wants each of its words, in any order', () => {
    expect(beginsLike(['log', 'mul'], workspace)).toBe(true);
    expect(beginsLike(['log', 'other'], workspace)).toBe(false);
    expect(isNear(['logistik', 'globx'], workspace)).toBe(true);
  });

  it('compares long words in full, though their keys are short', () => {
    const long = { ...workspace, workspaceName: 'Internationalisation' };
    expect(searchKeysOf(long)).toContain(beginningKey('internationalism'));
    expect(beginsLike(['internationalism'], long)).toBe(false);
    expect(beginsLike(['internationalis'], long)).toBe(true);
  });
});
