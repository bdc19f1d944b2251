// The base of the local platform's ports, which the environment names. Plain JavaScript, because `infra/run.mjs` refuses
// a wrong one before anything is built.

const standardBase = 7000;

/**
 * The base, which leaves room for every offset.
 * @param {string | undefined} text
 * @returns {number} NaN for a text that names none
 */
function portBaseOf(text) {
  const base = text ? Number(text) : standardBase;
  return Number.isInteger(base) && base >= 1024 && base <= 65_000 ? base : Number.NaN;
}

/** What to say about a text that names none. */
const portBaseRule = 'PORT_BASE must be a whole number from 1024 to 65000';

module.exports = { portBaseOf, portBaseRule };
