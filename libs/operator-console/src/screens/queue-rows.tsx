/** The rows of the work queue: only visible rows are rendered, and `j` and `k` step through them. */
import type { WorkCounters, WorkItemView } from '@platform/contracts-operator';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Instant, Sentence, title, words } from '@platform/design-parts';
import type { Problem } from '@platform/design-parts/requests';
import { linkToCase } from '../address';
import { Amount, kindName, State } from '../parts';
import { keyOf } from '../queue-pages';
import { useVirtualRows } from './virtual-rows';
import { caseStateWords } from './words';

export interface Rows {
  readonly items: readonly WorkItemView[];
  readonly nextCursor: string | undefined;
  /** How many there are, where the gateway counts them. */
  readonly count?: string | undefined;
  readonly problem: Problem | null;
  readonly reading: boolean;
}

/** People's progress, and the assignee. */
function Work({ work }: Pick<WorkItemView, 'work'>) {
  return (
    <span class="work-cell">
      {work && work.state !== 'new' && (
        <b>{work.waitingFor === undefined ? caseStateWords[work.state] : `Waiting for ${work.waitingFor}`}</b>
      )}
      <span class="quiet">{work?.assignee ?? <span title="No person has this case">–</span>}</span>
    </span>
  );
}

/** `stale`: the item's owner does not answer now, so the row shows the owner's last answer. */
function Row({ item, stale }: { item: WorkItemView; stale: boolean }) {
  return (
    <a class="row" href={linkToCase(item.kind, item.id)}>
      <State state={item.state} />
      <span class="what">
        <b>{title(item.title)}</b> <span class="quiet">{kindName(item.kind)}</span>
        <span class="why">
          {stale && (
            <b>
              Owner unavailable, as of <Instant at={item.checkedAt} />.{' '}
            </b>
          )}
          <Sentence>{item.reason ?? words(item.status)}</Sentence>
        </span>
      </span>
      <span class="where">
        {item.tenantId !== item.id && (item.tenantId ?? <span class="quiet">no workspace</span>)}
        <code class="id">{item.id}</code>
      </span>
      <Work work={item.work} />
      <Amount money={item.money} />
      <Instant at={item.since} />
    </a>
  );
}

/** When the focused row has ended and leaves the list, the row in its place takes the focus. */
function useFocusInPlace(list: RefObject<HTMLDivElement | null>, items: readonly WorkItemView[]) {
  const on = useRef<{ readonly key: string; readonly at: number } | null>(null);
  useLayoutEffect(() => {
    const before = on.current;
    if (!before || document.activeElement !== document.body || items.some((item) => keyOf(item) === before.key)) return;
    const at = Math.min(before.at, items.length - 1) + 1;
    list.current?.querySelector<HTMLElement>(`li[aria-posinset="${at}"] a`)?.focus();
  }, [items]);
  return {
    onFocusIn: (event: FocusEvent) => {
      const at = Number((event.target as HTMLElement).closest('li')?.ariaPosInSet ?? 0) - 1;
      const item = items[at];
      on.current = item ? { key: keyOf(item), at } : null;
    },
    onFocusOut: ({ relatedTarget }: FocusEvent) => {
      if (relatedTarget !== null) on.current = null;
    },
  };
}

export function List({ rows, more, counters }: { rows: Rows; more: () => void; counters: WorkCounters | null }) {
  const away = new Set(counters?.sources.filter(({ state }) => state === 'unavailable').map(({ source }) => source));
  const count = rows.items.length;
  const { list, virtual, size } = useVirtualRows(count);
  const inPlace = useFocusInPlace(list, rows.items);
  const last = virtual.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= count - 15) more();
  }, [last, count, rows.reading]);
  const step = (event: KeyboardEvent) => {
    if (event.key !== 'j' && event.key !== 'k') return;
    const all = [...(list.current?.querySelectorAll<HTMLElement>('a.row') ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const next = all[at < 0 ? 0 : at + (event.key === 'j' ? 1 : -1)];
    next?.focus();
    next?.scrollIntoView({ block: 'nearest' });
  };
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (!['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName) && !event.ctrlKey && !event.metaKey) step(event);
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
  return (
    <div
      class="list"
      ref={list}
      style={{ height: `min(${size + 2}px, var(--most))` }}
      tabIndex={0}
      role="region"
      aria-label="Unresolved work"
    >
      <ul style={{ height: `${size}px` }} {...inPlace}>
        {virtual.map(({ index, start }) => {
          const item = rows.items[index];
          return (
            item && (
              <li
                key={keyOf(item)}
                style={{ transform: `translateY(${start}px)` }}
                aria-setsize={rows.nextCursor === undefined ? count : -1}
                aria-posinset={index + 1}
              >
                <Row item={item} stale={away.has(item.kind)} />
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}
