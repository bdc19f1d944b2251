/** Texts that people write and other people read, in consoles, terminals and spreadsheets. */

/**
 * No control characters except line breaks and tabs, no halves of a character (lone surrogates), which no store and no
 * provider can hold, and no marks that change the direction of the surrounding text (Unicode TR9, explicit formatting),
 * so the text that a reader sees is the text that is stored.
 */
export const shownText = /^(?:[^\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]|[\n\r\t])*$/u;

/** A count with its noun: `1 workspace`, `2 workspaces`. */
export const counted = (count: number, noun: string): string => `${count} ${count === 1 ? noun : `${noun}s`}`;

export const shownTextRule =
  'must hold no control characters, no half characters, and no marks that turn the direction of text';
