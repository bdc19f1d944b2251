/** Texts that people write and other people read, in consoles, terminals and spreadsheets. */

/**
 * No control character but line breaks and tabs, and no mark that turns the direction of the text around it (Unicode
 * TR9, explicit formatting): what a reader sees of the rest is what it says.
 */
export const shownText = /^(?:[^\p{Cc}\u202a-\u202e\u2066-\u2069]|[\n\r\t])*$/u;

export const shownTextRule = 'must hold no control characters and no marks that turn the direction of text';
