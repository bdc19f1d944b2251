/**
 * Where reading goes on after a part of a page was replaced. A browser that loses the focused element begins at the top of
 * the page again, and says nothing of what has come instead. The focus moves with the change itself: a plain effect comes a
 * frame later, and a key that is pressed in between goes to the page before.
 */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** For an element that a person's action shows: it takes the focus once, when it appears. Give it `tabIndex={-1}`. */
export function useFocusWhenShown<E extends HTMLElement>(): RefObject<E | null> {
  const ref = useRef<E>(null);
  useLayoutEffect(() => ref.current?.focus(), []);
  return ref;
}

/** For an element that stays while a form opens and closes: it takes the focus when `open` ends. Give it `tabIndex={-1}`. */
export function useFocusWhenClosed<E extends HTMLElement>(open: boolean): RefObject<E | null> {
  const ref = useRef<E>(null);
  const before = useRef(open);
  useLayoutEffect(() => {
    if (before.current && !open) ref.current?.focus();
    before.current = open;
  }, [open]);
  return ref;
}

/** The title of the document. It changes with the page, before it is painted: a tab never names the page before. */
export function useDocumentTitle(text: string): void {
  useLayoutEffect(() => {
    document.title = text;
  }, [text]);
}

const headingWaitMs = 10_000;

/**
 * After a step to another page reading begins at its heading: `place` names the page. The first page of a visit takes no
 * focus unless a form was there before (`afterLogin`). A heading that comes later gets the focus when it comes.
 */
export function useHeadingFocus(main: RefObject<HTMLElement | null>, place: string, afterLogin: boolean): void {
  const skip = useRef(!afterLogin);
  useLayoutEffect(() => {
    if (skip.current) {
      skip.current = false;
      return undefined;
    }
    scrollTo(0, 0);
    return focusHeading(main.current);
  }, [place]);
}

function focusHeading(main: HTMLElement | null): (() => void) | undefined {
  const focus = (): boolean => {
    const heading = main?.querySelector<HTMLElement>('h1');
    heading?.focus();
    return heading !== null && heading !== undefined;
  };
  if (!main) return undefined;
  if (!focus()) main.focus();
  // A page that is still read has no heading, or one that is replaced: the focus goes with it until the person moves on.
  const coming = new MutationObserver(() => {
    const on = document.activeElement;
    if (on === main || on === document.body || on === null) focus();
    else if (on.tagName !== 'H1') coming.disconnect();
  });
  coming.observe(main, { childList: true, subtree: true });
  const enough = setTimeout(() => coming.disconnect(), headingWaitMs);
  return () => {
    coming.disconnect();
    clearTimeout(enough);
  };
}

/**
 * What a person has just used may leave the page or be out of use for a while: a link that its own filter removes, a part of
 * a form, a button that has done its work. The browser then forgets the place. Reading goes on at the nearest heading around
 * it, which takes no key, so that a key pressed twice does nothing else.
 */
export function useFocusKept(main: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const whole = main.current;
    if (!whole) return undefined;
    /** The element that had the focus last, and what is around it, from the inside out. */
    let places: readonly Element[] = [];
    const remember = (event: FocusEvent) => {
      places = event.composedPath().filter((each): each is Element => each instanceof Element && whole.contains(each));
    };
    const look = () => {
      const [last] = places;
      const on = document.activeElement;
      if (!last || (last.isConnected && !last.matches(':disabled'))) return;
      if (on !== last && on !== document.body && on !== null) return;
      // One in a closed dialog takes no focus.
      places.some((each) => each.isConnected && [...each.querySelectorAll<HTMLElement>(headings)].some(takesFocus)) ||
        takesFocus(whole);
    };
    const changed = new MutationObserver(look);
    changed.observe(whole, { childList: true, subtree: true, attributeFilter: ['disabled'] });
    whole.addEventListener('focusin', remember);
    return () => {
      changed.disconnect();
      whole.removeEventListener('focusin', remember);
    };
  }, []);
}

const headings = 'h1, h2, h3, legend';

function takesFocus(element: HTMLElement): boolean {
  element.tabIndex = -1;
  element.focus({ preventScroll: true });
  return document.activeElement === element;
}
