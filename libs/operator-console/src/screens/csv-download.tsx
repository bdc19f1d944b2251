/** All rows of a view of a list, page by page, as one file. */
import { useState } from 'preact/hooks';
import { csvOfPages } from '../csv-pages';
import { saveAs, useOneAtATime } from '@platform/design-parts';
import { useSession } from '../session';

export interface CsvDownloadProps {
  readonly path: string;
  /** Without a cursor: the file begins with the first row. */
  readonly filters: Readonly<Record<string, string | undefined>>;
  readonly filename: string;
}

export function CsvDownload({ path, filters, filename }: CsvDownloadProps) {
  const { gateway } = useSession();
  const [said, setSaid] = useState('');
  const { busy, run } = useOneAtATime();
  const download = async () => {
    setSaid('Reading …');
    const file = await csvOfPages((cursor) =>
      gateway.readText(path, { ...filters, format: 'csv', limit: 100, cursor }),
    );
    if (file.problem !== undefined) {
      setSaid(file.problem);
      return;
    }
    saveAs(filename, file.text, 'text/csv');
    setSaid(
      file.cut ? 'The file holds only the first rows. Narrow the filters to download the others.' : 'Downloaded.',
    );
  };
  return (
    <>
      <span role="status">{said}</span>
      <button type="button" aria-disabled={busy} onClick={() => void run(download)}>
        Download as CSV
      </button>
    </>
  );
}
