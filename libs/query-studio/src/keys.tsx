/** Single keys as commands: never while text is typed or a dialog is open, and never with a key that the browser uses. */
export function isCommand(event: KeyboardEvent, key: string): boolean {
  const { target } = event;
  const typing = target instanceof HTMLElement && target.matches('input, select, textarea, [contenteditable]');
  const asked = document.querySelector('dialog[open]') !== null;
  return event.key === key && !typing && !asked && !event.ctrlKey && !event.metaKey && !event.altKey;
}
