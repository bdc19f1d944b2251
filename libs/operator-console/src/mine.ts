/** How many cases a person has, in words: the number that the gateway counted, whatever a page of the list holds. */

const number = new Intl.NumberFormat('en');

/** `onlyLast`: so many cases were looked through, and not all. */
export function countOfMine(total: number, onlyLast?: number): string {
  const said = total === 1 ? '1 case is yours' : `${number.format(total)} cases are yours`;
  return onlyLast === undefined ? said : `${said}, of the ${number.format(onlyLast)} that you worked on last`;
}

/** For the list itself; undefined while the number is not known. */
export function countOfList(total: number | undefined, onlyLast?: number): string | undefined {
  if (total === undefined) return undefined;
  const said = total === 1 ? '1 case' : `${number.format(total)} cases`;
  return onlyLast === undefined ? said : `${said}, of the ${number.format(onlyLast)} worked on last`;
}
