/**
 * The rows of the sample shop: products, customers and their orders over three years, with growth, seasons, weekends
 * and opening hours, so that every chart has a shape. Rows are made one at a time and not collected in memory.
 */
import { createRandom, type Random } from './random';
import {
  adjectives,
  categories,
  cities,
  countries,
  firstNames,
  lastNames,
  notes,
  streets,
  tags,
  tenants,
  type CategoryName,
} from './vocabulary';

type SampleValue = string | number | boolean | Date | readonly string[] | Readonly<Record<string, string>>;
export type SampleRow = { readonly _id: string; readonly tenantId: string } & Readonly<Record<string, SampleValue>>;

export interface SampleOptions {
  /** All rows together, at least 1,000. */
  readonly rows: number;
  /** All rows are older than this instant. */
  readonly until: Date;
  readonly seed?: number;
}

const dayMs = 86_400_000;
const historyDays = 1_096;
/** Sales by month, January first. */
const seasons = [0.82, 0.85, 0.95, 0.98, 1, 0.94, 0.8, 0.78, 1, 1.08, 1.35, 1.6];
/** Sales by weekday, Sunday first. */
const weekdays = [0.75, 1, 1.02, 1.04, 1.08, 1.22, 0.95];

interface Sold {
  readonly id: string;
  readonly category: CategoryName;
  readonly price: number;
}
interface Buyer {
  readonly id: string;
  readonly country: keyof typeof countries;
  readonly joined: number;
}

/** Every row with its resource; the same options give the same rows. Throws RangeError below 1,000 rows. */
export function* sampleRows({
  rows,
  until,
  seed = 20_240_601,
}: SampleOptions): Generator<{ readonly resource: 'products' | 'customers' | 'orders'; readonly row: SampleRow }> {
  if (!Number.isInteger(rows) || rows < 1_000) throw new RangeError('a sample has at least 1000 rows');
  const random = createRandom(seed);
  const sold = new Map<string, Sold[]>();
  const buyers = new Map<string, Buyer[]>();
  const [productCount, customerCount] = [Math.round(rows * 0.005), Math.round(rows * 0.095)];
  for (let number = 1; number <= productCount; number += 1) {
    const row = productRow(random, number, until);
    grouped(sold, row.tenantId).push({
      id: row._id,
      category: row['category'] as CategoryName,
      price: row['price'] as number,
    });
    yield { resource: 'products', row };
  }
  for (let number = 1; number <= customerCount; number += 1) {
    const row = customerRow(random, number, until);
    grouped(buyers, row.tenantId).push({
      id: row._id,
      country: row['country'] as Buyer['country'],
      joined: (row['joinedAt'] as Date).getTime(),
    });
    yield { resource: 'customers', row };
  }
  for (let number = 1; number <= rows - productCount - customerCount; number += 1) {
    const tenantId = shopWith(random, sold, buyers);
    yield {
      resource: 'orders',
      row: orderRow(
        random,
        number,
        tenantId,
        random.pick(sold.get(tenantId)!),
        random.pick(buyers.get(tenantId)!),
        until,
      ),
    };
  }
}

/** In a small sample a tenant may have nothing to sell; its orders go to another tenant. */
function shopWith(random: Random, sold: ReadonlyMap<string, Sold[]>, buyers: ReadonlyMap<string, Buyer[]>): string {
  const tenantId = random.weighted(tenants);
  return sold.has(tenantId) && buyers.has(tenantId) ? tenantId : [...sold.keys()].find((each) => buyers.has(each))!;
}

function grouped<Value>(groups: Map<string, Value[]>, key: string): Value[] {
  const group = groups.get(key) ?? [];
  groups.set(key, group);
  return group;
}

const padded = (number: number, digits: number): string => String(number).padStart(digits, '0');
const cents = (amount: number): number => Math.round(amount * 100) / 100;

function productRow(random: Random, number: number, until: Date): SampleRow {
  const category = random.weighted(
    Object.fromEntries(Object.entries(categories).map(([name, { weight }]) => [name, weight])) as Record<
      CategoryName,
      number
    >,
  );
  const { nouns, leastPrice, mostPrice } = categories[category];
  return {
    _id: `product-${padded(number, 5)}`,
    tenantId: random.weighted(tenants),
    name: `${random.pick(adjectives)} ${random.pick(nouns).toLowerCase()}`,
    sku: `${category.slice(0, 3).toUpperCase()}-${padded(number, 5)}`,
    category,
    price: cents(leastPrice + (mostPrice - leastPrice) * random.next() ** 2 - 0.01),
    margin: cents(18 + random.next() * 45),
    stock: random.next() < 0.06 ? 0 : random.between(3, 900),
    active: random.next() < 0.92,
    launchedAt: new Date(startOfDay(until) - random.between(30, historyDays + 700) * dayMs),
    photo: `products/${padded(number, 5)}.webp`,
  };
}

function customerRow(random: Random, number: number, until: Date): SampleRow {
  const [first, last] = [random.pick(firstNames), random.pick(lastNames)];
  const address = `${first}.${last}`
    .normalize('NFD')
    .replace(/[^A-Za-z.]/g, '')
    .toLowerCase();
  const segment = random.weighted({ consumer: 82, small_business: 15, enterprise: 3 });
  const worth = { consumer: 90, small_business: 900, enterprise: 9_000 }[segment];
  return {
    _id: `customer-${padded(number, 6)}`,
    tenantId: random.weighted(tenants),
    name: `${first} ${last}`,
    email: `${address}.${number}@example.com`,
    phone: `+32 2 555 ${padded(number % 10_000, 4)}`,
    ...(segment === 'consumer' ? {} : { website: `https://${address.replace('.', '-')}.example.com` }),
    segment,
    country: random.weighted(countries),
    newsletter: random.next() < 0.37,
    lifetimeValue: cents(worth * Math.exp(0.8 * random.normal())),
    joinedAt: instantBefore(random, until),
    avatar: `customers/${padded(number, 6)}.webp`,
  };
}

function orderRow(
  random: Random,
  number: number,
  tenantId: string,
  product: Sold,
  buyer: Buyer,
  until: Date,
): SampleRow {
  const created = instantBefore(random, until);
  const ageDays = (until.getTime() - created.getTime()) / dayMs;
  const status = random.weighted(
    ageDays < 3
      ? { pending: 60, paid: 30, shipped: 4, refunded: 0, cancelled: 6 }
      : { pending: 1, paid: 42, shipped: 47, refunded: 4, cancelled: 6 },
  );
  const quantity = Math.min(40, 1 + Math.floor(-Math.log(1 - random.next()) * 1.3));
  const discount = random.next() < 0.2 ? random.pick([5, 10, 15, 25]) : 0;
  const paid =
    status === 'pending' || status === 'cancelled'
      ? undefined
      : new Date(Math.min(until.getTime() - 1, created.getTime() + random.between(1, 2_880) * 60_000));
  return {
    _id: `order-${padded(number, 7)}`,
    tenantId,
    number: `${created.getUTCFullYear()}-${padded(number, 7)}`,
    status,
    channel: random.weighted({ web: 55, app: 27, store: 14, phone: 4 }),
    customer: buyer.id,
    product: product.id,
    category: product.category,
    country: buyer.country,
    quantity,
    total: cents(product.price * quantity * (1 - discount / 100)),
    discount,
    gift: random.next() < (created.getUTCMonth() === 11 ? 0.3 : 0.07),
    ...(random.next() < 0.12 ? { note: random.pick(notes) } : {}),
    createdAt: created,
    ...(paid ? { paidAt: paid } : {}),
    shippingAddress: {
      street: `${random.pick(streets)} ${random.between(1, 140)}`,
      city: cities[buyer.country],
      country: buyer.country,
    },
    tags: tags.filter(() => random.next() < 0.1),
  };
}

/** An instant of the shop's history: more frequent towards the end, and weighted by season, weekday and hour. */
function instantBefore(random: Random, until: Date): Date {
  const end = startOfDay(until);
  for (;;) {
    const day = end - Math.floor(historyDays * (1 - random.next() ** 0.62)) * dayMs;
    const date = new Date(day);
    if (random.next() * 1.6 * 1.22 > seasons[date.getUTCMonth()]! * weekdays[date.getUTCDay()]!) continue;
    const hour = Math.min(23.99, Math.max(0, 14.5 + 4.2 * random.normal()));
    const instant = day + Math.floor(hour * 3_600_000);
    if (instant < until.getTime()) return new Date(instant);
  }
}

function startOfDay(instant: Date): number {
  return Math.floor(instant.getTime() / dayMs) * dayMs;
}
