/**
 * Text for a person's terminal. Records and messages hold what customers and other teams wrote, and a terminal obeys control
 * characters: one that moves the cursor or turns the direction of writing shows another text than the record has.
 */

/** All but line feed and tab; bidirectional controls too. Within JSON the escape reads back as the character. */
const obeyed =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Each character that a terminal obeys becomes its escape, `\u001b`. */
export function plainText(text: string): string {
  return text.replace(obeyed, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
