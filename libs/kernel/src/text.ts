/** Texts that people write and other people read, in consoles, terminals and spreadsheets. */

/**
 * No control characters except line breaks and tabs, and no marks that change the direction of the surrounding text
 * (Unicode TR9, explicit formatting), so the text that a reader sees is the text that is stored.
 */
export const shownText = /^(?:[^\p{Cc}\u202a-\u202e\u2066-\u2069]|[\n\r\t])*$/u;

export const shownTextRule = 'must hold no control characters and no marks that turn the direction of text';
