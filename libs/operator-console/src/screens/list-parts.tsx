/** Parts that lists share: a choice of values to narrow them, and the link to the next page. */
import { linkTo } from '../address';
import { words } from '@platform/design-parts';

/** `link` leads to the list with the value; without a value, to the whole list. */
export function Choice({
  label,
  every,
  values,
  chosen,
  link,
}: {
  label: string;
  every: string;
  values: readonly string[];
  chosen: string | undefined;
  link: (value?: string) => string;
}) {
  return (
    <nav class="chips" aria-label={label}>
      <a href={link()} aria-current={chosen === undefined ? 'true' : undefined}>
        {every}
      </a>
      {values.map((each) => (
        <a key={each} href={link(each)} aria-current={chosen === each ? 'true' : undefined}>
          {words(each)}
        </a>
      ))}
    </nav>
  );
}

/** Links to the pages of a list that begins with the newest. */
export function Pages({
  screen,
  filters,
  nextCursor,
}: {
  screen: readonly string[];
  filters: Readonly<Record<string, string>>;
  nextCursor: string | undefined;
}) {
  const { cursor, ...kept } = filters;
  return (
    <div class="pager">
      {cursor !== undefined && (
        <a class="button" href={linkTo(screen, kept)}>
          Newest
        </a>
      )}
      {nextCursor !== undefined && (
        <a class="button" href={linkTo(screen, { ...kept, cursor: nextCursor })}>
          Earlier
        </a>
      )}
    </div>
  );
}
