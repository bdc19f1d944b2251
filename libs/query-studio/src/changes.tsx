/** The TypeScript that saving will write, both files, beside their current text. */
import type { Review } from './editing';
import { controlsOf, type Template } from './form';
import { lazy } from './lazy';
import { inWordsOfForm } from './request';
import { wordsOf } from './session';

const Diff = lazy(async () => (await import('./diff')).Diff);

interface ChangesProps {
  readonly review: Review | undefined;
  readonly dirty: boolean;
  readonly template?: Template | undefined;
}

export function Changes({ review, dirty, template }: ChangesProps) {
  return (
    <div class="changes">
      <h2>The source, now and as it will be</h2>
      {review?.error && <p class="notice">{inWordsOfForm(wordsOf(review.error), controlsOf(template?.schema))}</p>}
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
