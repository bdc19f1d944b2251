/** All rows of a view of a list, page by page, as one file, or as several parts of a long list. */
import { useState } from 'preact/hooks';
import { csvOfPages, firstPart, nameOfPart } from '../csv-pages';
import { saveCsv, useOneAtATime } from '@platform/design-parts';
import { useSession } from '../session';

export interface CsvDownloadProps {
  readonly path: string;
  /** Without a cursor: the file begins with the first row. */
  readonly filters: Readonly<Record<string, string | undefined>>;
  readonly filename: string;
}

export function CsvDownload({ path, filters, filename }: CsvDownloadProps) {
  const { gateway } = useSession();
  // What was said, and the part that follows, belong to the view in which they came about.
  const view = JSON.stringify(filters);
  const [last, setLast] = useState({ view, said: '', part: firstPart });
  const { said, part } = last.view === view ? last : { said: '', part: firstPart };
  const { busy, run } = useOneAtATime();
  const download = async () => {
    const tell = (text: string, following = part) => setLast({ view, said: text, part: following });
    tell('Reading …');
    const file = await csvOfPages(
      (cursor) => gateway.readText(path, { ...filters, format: 'csv', limit: 100, cursor }),
      part,
    );
    if (file.problem !== undefined) return tell(file.problem);
    saveCsv(nameOfPart(filename, part, file.next), file.text);
    if (file.next) tell(`Downloaded part ${part.number} of a longer list; more rows follow.`, file.next);
    else tell('Downloaded.', firstPart);
  };
  return (
    <>
      <span role="status">{said}</span>
      <button type="button" aria-disabled={busy} onClick={() => void run(download)}>
        {part.number === 1 ? 'Download as CSV' : `Download part ${part.number}`}
      </button>
    </>
  );
}
