/** Keys: `g` and a letter leads to a screen, `/` to the search, `?` shows them all. None works while somebody types. */
import { useEffect, useRef } from 'preact/hooks';
import { linkTo } from './address';
import { screens } from './app';

function typing(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  );
}

export function Keys() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    let afterG = 0;
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
      const screen = screens.find(({ key }) => key === event.key);
      if (Date.now() - afterG < 1_500 && screen) location.hash = linkTo([screen.name]);
      else if (event.key === '/') document.getElementById('search')?.focus();
      else if (event.key === '?') dialog.current?.showModal();
      else if (event.key !== 'g') return;
      afterG = event.key === 'g' ? Date.now() : 0;
      event.preventDefault();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
  return (
    <>
      <button
        type="button"
        class="small"
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts"
        onClick={() => dialog.current?.showModal()}
      >
        ?
      </button>
      <dialog ref={dialog} aria-labelledby="keys-title">
        <h2 id="keys-title">Keys</h2>
        <dl class="keys">
          {screens.map(({ name, title, key }) => (
            <div key={name}>
              <dt>
                <kbd>g</kbd> <kbd>{key}</kbd>
              </dt>
              <dd>{title}</dd>
            </div>
          ))}
          <div>
            <dt>
              <kbd>/</kbd>
            </dt>
            <dd>Search by any id</dd>
          </div>
          <div>
            <dt>
              <kbd>j</kbd> <kbd>k</kbd>
            </dt>
            <dd>Next and previous row of the queue</dd>
          </div>
          <div>
            <dt>
              <kbd>Enter</kbd>
            </dt>
            <dd>Open the row</dd>
          </div>
          <div>
            <dt>
              <kbd>Esc</kbd>
            </dt>
            <dd>Close</dd>
          </div>
        </dl>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </>
  );
}
