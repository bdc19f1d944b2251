/** A request that is under way is not left by accident: its id would be lost, and the person would send a new one. */
import { useLayoutEffect } from 'preact/hooks';

/**
 * While `underWay`, the browser asks in its own words before the page is closed or loaded again: from the moment the page
 * shows it, and no longer. A plain effect would come a frame later.
 */
export function useUnderWay(underWay: boolean): void {
  useLayoutEffect(() => {
    if (!underWay) return undefined;
    const ask = (event: Event) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [underWay]);
}
