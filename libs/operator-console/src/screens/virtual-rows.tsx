/** Rows of equal height, of which only visible ones are rendered. */
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualItem,
} from '@tanstack/virtual-core';
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';

const narrow = matchMedia('(max-width: 720px)');
const rowPixels = () => (narrow.matches ? 108 : 52);

export function useVirtualRows(count: number): {
  list: RefObject<HTMLDivElement | null>;
  virtual: readonly VirtualItem[];
  size: number;
} {
  const list = useRef<HTMLDivElement>(null);
  const [, draw] = useReducer((turn: number, _cause: void) => turn + 1, 0);
  const options = {
    count,
    getScrollElement: () => list.current,
    estimateSize: rowPixels,
    overscan: 12,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => draw(undefined),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLDivElement, Element>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  useLayoutEffect(() => {
    const resized = () => virtualizer.measure();
    narrow.addEventListener('change', resized);
    return () => narrow.removeEventListener('change', resized);
  }, []);
  return { list, virtual: virtualizer.getVirtualItems(), size: virtualizer.getTotalSize() };
}
