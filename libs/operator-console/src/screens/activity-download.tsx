/** All rows of a view of the activity, page by page, as one file. */
import { useState } from 'preact/hooks';
import { csvOfPages } from '../csv-pages';
import { saveAs } from '@platform/design-parts';
import { useSession } from '../session';

export function ActivityDownload({ filters }: { filters: Readonly<Record<string, string>> }) {
  const { gateway } = useSession();
  const [said, setSaid] = useState('');
  const download = async () => {
    setSaid('Reading …');
    const file = await csvOfPages((cursor) =>
      gateway.readText('/api/saas/activity', { ...filters, format: 'csv', limit: 100, cursor }),
    );
    if (file.problem !== undefined) {
      setSaid(file.problem);
      return;
    }
    saveAs('activity.csv', file.text, 'text/csv');
    setSaid(
      file.cut ? 'The file holds only the first rows. Narrow the filters to download the others.' : 'Downloaded.',
    );
  };
  return (
    <>
      <span role="status">{said}</span>
      <button type="button" onClick={() => void download()}>
        Download as CSV
      </button>
    </>
  );
}
