import * as z from 'zod/mini'

const degrees = (max: number) =>
  z
    .pipe(
      z.union([z.number(), z.string().check(z.regex(/^-?\d{1,3}(\.\d+)?$/))]),
      z.transform(Number),
    )
    .check(z.gte(-max), z.lte(max))

const location = z.looseObject({ latitude: degrees(90), longitude: degrees(180) })

/** A map link for a shared place; undefined if the field is no place. */
export function findMapLink(field: unknown): string | undefined {
  const read = location.safeParse(field)
  if (!read.success) return undefined
  const { latitude, longitude } = read.data
  return `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${latitude}/${longitude}`
}
