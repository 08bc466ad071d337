import { createHash } from 'node:crypto'

export type SeededRandom = ReturnType<typeof createSeededRandom>

/** Deterministic numbers and names, for the same seed and the same calls. */
export function createSeededRandom(seed: number) {
  const counters = new Map<string, number>()

  function draw(kind: string): Buffer {
    const count = (counters.get(kind) ?? 0) + 1
    counters.set(kind, count)
    return createHash('sha256').update(`${seed}/${kind}/${count}`).digest()
  }

  return {
    /** In [0, 1). */
    fraction: () => draw('fraction').readUInt32BE(0) / 2 ** 32,

    /** @returns `length` decimal digits, the first of them not 0 */
    digits(kind: string, length: number): string {
      const all = [...draw(kind)].map((byte) => String(byte % 10)).join('')
      return `1${all}`.slice(0, length)
    },

    /** A message id in WhatsApp's form: opaque, unique to each call. */
    wamid(recipient: string): string {
      const tail = draw('wamid').toString('hex').slice(0, 32).toUpperCase()
      const inside = `\u001c\u0018${recipient}\u0015\u0002\u0000\u0011\u0018${tail}`
      return `wamid.${Buffer.from(inside, 'latin1').toString('base64')}`
    },

    hex: (kind: string, length: number): string => draw(kind).toString('hex').slice(0, length),
  }
}
