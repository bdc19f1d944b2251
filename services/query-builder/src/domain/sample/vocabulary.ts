/** Names, countries and goods of the sample shop. */

export const tenants = { acme: 50, globex: 30, initech: 15, hooli: 5 } as const;

export const countries = {
  France: 24,
  Germany: 21,
  'United Kingdom': 14,
  Netherlands: 9,
  Belgium: 7,
  Spain: 7,
  Italy: 6,
  Austria: 4,
  Switzerland: 4,
  Denmark: 2,
  Portugal: 1,
  Ireland: 1,
} as const;

export const firstNames = [
  'Alma',
  'Bruno',
  'Chloé',
  'Dina',
  'Elif',
  'Felix',
  'Greta',
  'Hugo',
  'Ines',
  'Jonas',
  'Karim',
  'Lena',
  'Maël',
  'Nora',
  'Oskar',
  'Paula',
  'Quentin',
  'Rosa',
  'Sven',
  'Tilda',
  'Umberto',
  'Vera',
  'Willem',
  'Yara',
  'Zoë',
];
export const lastNames = [
  'Andersen',
  'Becker',
  'Costa',
  'Dubois',
  'Evans',
  'Ferrari',
  'García',
  'Huber',
  'Iversen',
  'Janssen',
  'Keller',
  'Lambert',
  'Moreau',
  'Novak',
  "O'Brien",
  'Peeters',
  'Ricci',
  'Schmidt',
  'Torres',
  'Vogel',
  'Weber',
  'Ziegler',
];
export const streets = [
  'Rue Haute',
  'Lindenweg',
  'Kerkstraat',
  'High Street',
  'Via Roma',
  'Calle Mayor',
  'Hauptstrasse',
  'Quai Nord',
];
export const cities: Readonly<Record<keyof typeof countries, string>> = {
  France: 'Lyon',
  Germany: 'Köln',
  'United Kingdom': 'Leeds',
  Netherlands: 'Utrecht',
  Belgium: 'Gent',
  Spain: 'Valencia',
  Italy: 'Torino',
  Austria: 'Graz',
  Switzerland: 'Basel',
  Denmark: 'Aarhus',
  Portugal: 'Porto',
  Ireland: 'Cork',
};

export interface Category {
  /** Share of the products. */
  readonly weight: number;
  readonly nouns: readonly string[];
  readonly leastPrice: number;
  readonly mostPrice: number;
}

export const categories = {
  coffee: {
    weight: 30,
    nouns: ['Espresso', 'Filter roast', 'Decaf', 'Single origin', 'House blend'],
    leastPrice: 6,
    mostPrice: 24,
  },
  tea: { weight: 18, nouns: ['Green tea', 'Black tea', 'Rooibos', 'Herbal infusion'], leastPrice: 4, mostPrice: 18 },
  brewing: {
    weight: 16,
    nouns: ['French press', 'Pour-over set', 'Hand grinder', 'Kettle', 'Scale'],
    leastPrice: 18,
    mostPrice: 260,
  },
  cups: { weight: 16, nouns: ['Mug', 'Espresso cup', 'Travel cup', 'Glass'], leastPrice: 7, mostPrice: 42 },
  sweets: { weight: 12, nouns: ['Biscotti', 'Chocolate', 'Honey', 'Caramels'], leastPrice: 3, mostPrice: 16 },
  gifts: { weight: 8, nouns: ['Gift box', 'Tasting set', 'Voucher'], leastPrice: 20, mostPrice: 120 },
} as const satisfies Record<string, Category>;

export type CategoryName = keyof typeof categories;

export const adjectives = [
  'Classic',
  'Bold',
  'Mild',
  'Nordic',
  'Alpine',
  'Harvest',
  'Morning',
  'Velvet',
  'Copper',
  'Stone',
  'Amber',
  'Quiet',
  'Wild',
  'Golden',
];
export const notes = [
  'Please ring twice.',
  'Leave it with the neighbours.',
  'A present: no invoice in the box, please.',
  'Whole beans.',
  'Ground for espresso.',
  "It's urgent!",
];
export const tags = ['newsletter', 'repeat', 'bulk', 'fragile', 'express'];
