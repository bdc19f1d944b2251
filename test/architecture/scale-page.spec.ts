import { declaredCollections, text } from './tree';

describe('the page on scale', () => {
  const declared = declaredCollections();

  it('names the shard key of every collection', () => {
    expect(declared.length).toBeGreaterThan(30);
    const page = text('docs/scale.md');
    expect(declared.filter(({ collection }) => !page.includes(`\`${collection}\``))).toEqual([]);
  });

  it('is right that no index is unique but the one of ids, which is the shard key', () => {
    expect(declared.filter(({ file }) => /\bunique: /.test(text(file)))).toEqual([]);
  });
});
