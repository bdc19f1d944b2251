/** The message of an action to its author, even when the action leads to another place of the studio. */

export interface Notice {
  readonly text: string;
  readonly tone: 'good' | 'bad';
}

let left: Notice | undefined;

/** Stores a message for the next place. */
export function leaveNotice(notice: Notice): void {
  left = notice;
}

/** Returns the stored message, once. */
export function takeNotice(): Notice | undefined {
  const notice = left;
  left = undefined;
  return notice;
}
