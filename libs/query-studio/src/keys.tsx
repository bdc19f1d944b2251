/** Single keys as commands: never while text is typed, and never with a key that the browser uses. */
export function isCommand(event: KeyboardEvent, key: string): boolean {
  const { target } = event;
  const typing = target instanceof HTMLElement && target.matches('input, select, textarea, [contenteditable]');
  return event.key === key && !typing && !event.ctrlKey && !event.metaKey && !event.altKey;
}
