/**
 * The pictures of the documents: one for each screen that `npm run screenshots` takes, and each is shown in a document.
 */
import { documentedScreens } from '../support/screenshots';
import { files, text } from './tree';

describe('docs/screenshots', () => {
  const pictures = files()
    .filter((file) => file.startsWith('docs/screenshots/'))
    .map((file) => /([^/]+)\.png$/.exec(file)?.[1] ?? file);

  it('holds the pictures that the script takes, and no others', () => {
    expect([...pictures].sort()).toEqual([...documentedScreens].sort());
  });

  it('holds no picture that no page shows', () => {
    const pages = files()
      .filter((file) => file.endsWith('.md'))
      .map(text)
      .join('\n');
    expect(documentedScreens.filter((name) => !pages.includes(`screenshots/${name}.png`))).toEqual([]);
  });
});
