/** The TypeScript that saving will write, both files, beside their current text. */
import type { Review } from './editing';
import { lazy } from './lazy';
import { wordsOf } from './session';

const Diff = lazy(async () => (await import('./diff')).Diff);

export function Changes({ review, dirty }: { review: Review | undefined; dirty: boolean }) {
  return (
    <div class="changes">
      <h2>The source, now and as it will be</h2>
      {review?.error && <p class="notice">{wordsOf(review.error)}</p>}
      {!review && (
        <p class="quiet">{dirty ? 'Reading …' : 'The form is what the source says: there is nothing to save.'}</p>
      )}
      {review && !review.error && review.files.length === 0 && <p class="quiet">The source says this already.</p>}
      {review?.files.map((file) => (
        <Diff key={file.path} file={file} />
      ))}
    </div>
  );
}
