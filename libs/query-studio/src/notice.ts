/** What an action says to its author, also where it leads to another place of the studio. */

export interface Notice {
  readonly text: string;
  readonly tone: 'good' | 'bad';
}

let left: Notice | undefined;

/** Leaves a word for the place that is shown next. */
export function leaveNotice(notice: Notice): void {
  left = notice;
}

/** The word that was left, once. */
export function takeNotice(): Notice | undefined {
  const notice = left;
  left = undefined;
  return notice;
}
